//! Canonical JSON bytes: what seals and receipts are computed over.

use serde_json::Value;

/// Canonical bytes: keys sorted by bytes at every level, no blanks. What receipts are sealed over.
pub fn canonical(value: &Value) -> Vec<u8> {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(map) => {
                let mut keys: Vec<&String> = map.keys().collect();
                keys.sort_unstable();
                Value::Object(keys.into_iter().map(|k| (k.clone(), sorted(&map[k]))).collect())
            }
            Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
            other => other.clone(),
        }
    }
    serde_json::to_vec(&sorted(value)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_bytes_sort_keys_at_every_level() {
        let value = serde_json::from_str(r#"{"b":[{"z":1,"a":2}],"a":null}"#).unwrap();
        assert_eq!(canonical(&value), br#"{"a":null,"b":[{"a":2,"z":1}]}"#);
    }
}
