//! The answer of an assessor: `{"tier","reason_codes","completion_generation"}`, alone or inside prose.

use super::json::{Fields, parse};
use crate::base::{Code, Fail};
use crate::wave::tier::{ReasonCode, Refusal, Tier, codes};

/// An assessment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assessment {
    /// The tier.
    pub tier: Tier,
    /// Why.
    pub reason_codes: Vec<ReasonCode>,
}

/// Reads an assessor's answer; `generation` is the one it was issued with.
///
/// # Errors
/// `INVALID_SELECTION`, and those of the strict reader.
pub fn read(text: &str, generation: &str) -> Result<Assessment, Fail> {
    let none = |why: &str| Fail::new(Code::InvalidSelection, format!("the assessment is none: {why}"));
    let (Some(from), Some(to)) = (text.find('{'), text.rfind('}')) else { return Err(none("it holds no JSON object")) };
    let value = parse(text.get(from..=to).unwrap_or_default().as_bytes())?;
    let f = Fields::of(&value, "")?;
    f.only(&["tier", "reason_codes", "completion_generation"])?;
    if f.text("completion_generation")? != generation {
        return Err(none("its generation is not the one that was issued"));
    }
    let tier = Tier::find(f.text("tier")?).ok_or_else(|| none("its tier is no tier"))?;
    let words = f.texts("reason_codes")?.join(",");
    let reason_codes = codes(&words).map_err(|why: Refusal| none(why.word()))?;
    Ok(Assessment { tier, reason_codes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assessment_names_tier_codes_and_its_own_generation() {
        let read = |text: &str| read(text, "g");
        let fine = r#"{"tier":"small","reason_codes":["localized-change","focused-verification"],"completion_generation":"g"}"#;
        assert_eq!(read(fine).unwrap().tier, Tier::Small);
        assert!(read(&format!("Here it is:\n```json\n{fine}\n```")).is_ok());
        for bad in [
            "",
            "small",
            &fine.replace("\"g\"", "\"h\""),
            &fine.replace("small", "tiny"),
            &fine.replace("localized-change", "because I say so"),
            &fine.replace("{\"tier\"", "{\"extra\":1,\"tier\""),
            &format!("{fine} {fine}"),
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
