//! The defect concepts that a text speaks of, and how likely.
//!
//! The table below is knowledge of the trade: stems that reviewers use when they speak of a kind of defect. A stem counts where a
//! word starts with it, the less the more kinds it speaks of, and the words of a text together make each kind more or less likely;
//! two texts are alike as far as both make the same kinds likely. docs/identity.md shows the table. Bound: linear in the text.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::words::{is_unspaced, stem};

/// One concept a line: its name, then the stems that speak of it. `!` marks one that says much by itself, `~` one that says little;
/// `=` one that stands for itself only, as do those of fewer than four letters.
const CONCEPTS: &[(&str, &str)] = &[
    (
        "null",
        "null! nil! none nullable! undefined optional unset absent dereferenc! unwrap nullptr! npe! nonetype! missing~ empty~ lookup guard~ present~ exist~ found~ crash~ fault~ assum~ yields~ nothing raise~ access~ before~ without~ value~ initialis! initializ! blow property~ chaining! typeerror! segfault! segmentation! existence! malloc! alloc~ deref! pointer attribute row~ match~ absence! lack~ none-check! null-check! 널! 널값! null값! 존재하지~ 없을~ 미정의! 역참조! ヌル! 未定義! 存在しない~ 参照外し! 空指针! 空值! 为空! 判空! 未定义! 解引用! members! member~ populat! ensures~ guarantee~ blows~ presence! something~ arrives~",
    ),
    (
        "unchecked",
        "unchecked! ignor! discard! dropped outcome! unhandled! propagat! unnoticed! errno! return result status error failure fail silently succeed success~ bubble! handle~ inspect~ check~ thrown~ exit~ proceed~ continu~ regardless! goes~ lost~ err! surface! carry~ code~ handling~ reject~ wrong~ callers~ swallow~ ignores! throw~ stack~ caller~ act~ truth~ checked~ 반환값! 반환~ 오류~ 에러~ 무시! 확인하지~ 실패~ 戻り値! エラー~ 無視! 失敗~ 返回值! 错误~ 忽略! 未检查! 未处理~ 失败~ assum works~ bail unsuccessful! invalid~ verify~ disregard!",
    ),
    (
        "swallow",
        "swallow! catch-all! catch! except! exception! handler! conceal! mask! silenc! suppress! rethrow! re-raise! reraise! broad! bare narrow! vanish! disappear hid~ hides hidden~ everything blanket! diagnos~ cause~ error~ pass~ generic~ eaten! keyboardinterrupt! rescue! original! chain! bugs~ much~ problem~ traceback! log~ throwable! catching! caught! quiet! quietly! indiscriminat! hush! nothing~ specific! information~ evidence! 예외! 삼키! 삼킴! 무시~ 例外! 握りつぶ! 捕捉! 异常! 吞掉! 吞没! 捕获! trace reasons~ hint~ ignor~ anything~ faults! alike~ genuine~",
    ),
    (
        "abort",
        "panic! abort! crash terminat! unwrap! assert! assertion! dies! die kill! fatal! recoverable! graceful! malformed unexpected! process program whole~ down bring takes~ exit! server~ hostile~ crafted invalid~ input~ user~ external~ untrusted~ report~ message~ unreachable~ 400! worker~ uncaught! expect client~ request~ tear! throw~ instead~ error~ shuts! halt! unrecover! denial! dos! diagnos~ robust! survive! give~ 패닉! 비정상~ 종료! 중단! 크래시! パニック! 異常終了! 落ちる~ クラッシュ! 崩溃! 终止! 恐慌! 退出~ rejection~ well-formed! truncated~ unhandled! programmer! types~ triggered! short~ valid~ throws~",
    ),
    (
        "upper_bound",
        "off-by-one! upper! inclusive! exclusive! fencepost! tail! overrun! last end beyond! length past! final! iteration~ extra step~ range~ element~ size~ bound~ index~ too~ one~ far~ strict loop~ counter~ slice~ touches~ array~ boundary! terminat~ bounds~ greater~ equal~ less~ 마지막! 끝~ 상한! 경계~ 범위~ 하나~ 最後! 末尾! 上限! 範囲~ 境界~ 最后! 上界! 越界! 边界~ 多一~ less-than! stop~ reaches~ outside~ boundaries! gaps! positions~ halts~ minus!",
    ),
    (
        "lower_bound",
        "first! head! initial! start! starts begin beginning! lower! zero~ skip! skipped! omit miss~ never~ ignored~ off-by-one! offset~ index~ item~ entry~ element~ second! record~ one~ leading! header~ position~ from~ minimum! excluded! leaves~ out~ 첫! 처음! 시작~ 하한! 最初! 先頭! 下限! 第一个! 首个! 起始! 下界! 跳过~ excludes! smallest! legal~ bottom!",
    ),
    (
        "bounds",
        "out-of-bounds! bounds! bound buffer! overflow~ overrun overread! overwrite memory~ index slice size length write~ copy~ strcpy! memcpy! array capacity! fit~ adjacent! stack~ heap! fixed-size! fixed~ bytes~ destination! longer~ terminator! snprintf! strncpy! sprintf! gets! oversized! past~ beyond~ out-of-range! clobber! space~ room! 버퍼! 오버플로! 경계 범위를! 넘칠! 넘침! 인덱스! バッファ! 範囲外! 境界 添字! 缓冲区! 溢出 越界 下标!",
    ),
    (
        "command",
        "shell! command! inject! injection subprocess! metacharacter! spawn! exec! execut interpreter! argument argv! =sh! quote! unquoted! escap~ splice~ concatenat~ user~ input~ untrusted~ attacker~ arbitrary~ program~ process~ string~ system~ vector~ separat~ os.system! popen! rm! branch~ execfile! args! array~ glob! expand! script~ list~ invok! invocation! bash! command-line! commandline! cmd! shell=true! run~ runs~ operator~ backtick! semicolon! pass~ 명령! 셸! 쉘! 주입! 인젝션! コマンド! シェル! インジェクション! 命令! 注入! 拼接~ launch! symbols~ pipes! operat~ remote~ takeover! os! lists~ external~",
    ),
    (
        "sql",
        "sql! query! statement prepared! parameteri! parameter bind! bound~ placeholder! database! injection concatenat interpolat! table~ select! clause! user~ input~ untrusted~ attacker~ string~ quote~ escap~ where~ execut~ drop~ f-string! id~ whitelist~ quot! orm! literal~ tamper! data~ crafted~ sanitis~ sanitiz~ dynamic~ clauses! column! insert~ built~ build~ text~ command~ formatting~ injectable! criteria! 쿼리! 질의! 주입 인젝션 바인딩! 매개변수~ クエリ! インジェクション プレースホルダ! 查询! 注入 拼接! 参数化! 语句~ 1=1! bypass! escaped~ inserted~ modify~ dump~ outside~ hitting~",
    ),
    (
        "traversal",
        "traversal! path! dot-dot! directory folder! outside! escape! escap sandbox! contain! confin! root! parent! absolute! file~ name~ prefix normalis! normaliz! canonical! join! segment! ../! disk served! climb! tree~ user~ resolve~ base~ location~ arbitrary~ zip! slip! archive! filename! upload! dir! overwrite~ stays! restrict~ extract~ symlink~ slash! relative! paths! filesystem! file-system! subtree! jail! below~ inside~ leave~ leaves~ unsafe~ sensitive~ validate~ 경로! 디렉터리! 디렉토리! 상위~ 벗어! 탈출! パス! ディレクトリ! トラバーサル! 外部~ 路径! 目录! 遍历! 穿越! passwd! reachable! access~ ask~",
    ),
    (
        "markup",
        "xss! html! markup! script! cross-site! innerhtml! unescaped! escap sanitis! sanitiz! browser! page render! template! dom! encode~ user~ raw~ output~ inject tag~ textcontent! attribute~ untrusted~ attacker~ dangerouslysetinnerhtml! comment~ safe~ switch~ profile~ visitor! reflected! persistent~ payload~ encod~ entities! markdown~ webpage! web! client-side! element~ injected~ executes~ runs~ autoescap! insert~ before~ entity~ widget~ 스크립트! 이스케이프! 마크업! スクリプト! エスケープ! マークアップ! 脚本! 转义! 跨站! 标签~ attacker-supplied! reflect! link~ cookies~ victim! steal! escaped~ prepared~",
    ),
    (
        "race",
        "race! synchroni! unsynchroni! concurren! thread-safe! thread! interleav! atomic! simultaneous! parallel! lock mutex! goroutine! worker~ toctou! check-then! read-modify-write! shared lost~ update~ timing two~ several~ state~ between~ consisten~ inconsistent protect guard corrupt overwrit task~ same~ other~ request~ section! critical~ window! act~ sync~ modif~ dropped~ increment! replaced~ balance~ volatile! double-checked! visib~ ordering~ contend! counter~ 경쟁! 동시! 동기화! 스레드! 원자! 잠금 락 競合! 同時! 同期! スレッド! 排他! アトミック! 竞争! 竞态! 并发! 同步 线程! 原子! 加锁 锁 load~ multiple! reachable~ safe~",
    ),
    (
        "deadlock",
        "deadlock! lock mutex! circular! cycle! wait hold! held! acquir! order! opposite re-entrant! reentrant! recursive~ inver! standstill! forever~ block freeze! hang stuck! progress! each~ other~ both~ second~ two~ twice~ callback! release~ resource~ sequence! taken~ thread~ never~ acquisition! abba! freez channel! receiver! self~ own~ owns! fixed~ contend~ mutual! nobody~ wedge! starv! locks locking 교착! 데드락! 잠금! 락! 순서~ 대기 デッドロック! ロック! 待ち 順序~ 死锁! 锁! 互相! 等待 顺序~ contention! go~ recover~ forgets~ taker!",
    ),
    (
        "leak",
        "leak! close! closed closing! handle! descriptor! release! dispos! open! socket! stream! connection file~ resource! finally! defer! scoped! with-statement! exhaust! pool! limit~ never~ not~ return~ accumulat~ path~ error~ early~ freed~ free~ still~ manager~ context~ throw~ pile! body~ try-with-resources! back~ using~ cleanup~ resources! fd! descriptors! lingers! dangl~ destructor! raii! 누수! 닫히지! 닫지! 해제! 핸들! 디스크립터! 자원! 파일~ リーク! 閉じ! 解放! ハンドル! リソース! 泄漏! 泄露~ 关闭! 释放! 句柄! 资源! 描述符! collector~ use~ stays",
    ),
    (
        "growth",
        "unbounded! grow! growth! evict! memory! forever! accumulat! retain! climb! cache~ entries! entry~ remov! never~ limit! size~ cap! keep kept ram! expir! list~ map~ buffer~ shrink! rises! added ever~ prun! bound~ long-running! leak out-of-memory! oom! append~ clean~ listener! subscri! queue! longer~ tab~ disconnect! session~ delete~ up~ references~ bigger! swell! purge! lru! hoard! heap! collect~ footprint! garbage 무한히! 계속~ 커짐! 커지! 증가! 메모리! 누적! 제한~ 상한~ メモリ! 増え! 無制限! 増大! 内存! 无限~ 增长! 无界! 上限~ 累积! backpressure! producers! consumers~ ceiling! insertions! uptime! resident! deleted~ policy~ huge~ inserted~",
    ),
    (
        "use_after",
        "use-after! use-after-free! freed! free dangling! lifetime! stale~ pointer! outlive! double! released closed~ already invalid~ destroyed! moved~ after~ memory~ use! reused~ uaf! ownership! drop~ borrow~ reading~ allocation~ gone! valid~ again~ reference~ freeing! 해제~ 댕글링! 수명! 解放後! 寿命! 释放后! 悬空! 悬垂! 生命周期!",
    ),
    (
        "overflow",
        "overflow! wrap! wraps! arithmetic! exceed! range product! sum multipl! addition! add~ narrow! cast! truncat! integer! int! 32-bit! 32 bits! width! type~ large big~ saturat! checked! rolls! negative! lossy! convers! convert~ maximum! silently~ cut~ fits! size~ wider! signed! unsigned! digits~ number~ underflow! subtract! u8! u16! u32! i32! i64! usize! int_max! 2038! loses~ over~ wide! hi~ counter~ huge~ wraparound! clip~ magnitude! 오버플로! 넘침~ 정수! 자릿수! 형변환! 잘림! 桁! オーバーフロー! 整数! 桁あふれ! キャスト! 溢出! 截断! 类型转换! 回绕! sign! flips~ nonsense~",
    ),
    (
        "division",
        "divi! division! divisor! divid! denominat! quotient! zero! modulo! average! mean! ratio! percent~ nan! empty~ nothing~ sample~ count~ total~ length~ guard undefined~ arithmetic~ zerodivisionerror! percentage! infinity! inf! 나누! 나눗셈! 0으로! 분모! 제수! 평균! 除算! ゼロ除算! 分母! 割り! 平均! 除以! 除零! 除数! 平均值! nonzero! remainder! nought! traps~",
    ),
    (
        "float",
        "float! floating! floating-point! epsilon! precision! exact! equality! compar equal tolerance! binary! decimal! fraction! round~ money! 0.1! bit~ double~ close~ never~ representation! decimals! approximate! inexact! rounding! ieee! accumul~ tiny~ drift~ integer~ cents~ sums! imprecise! deviation! doubles! imprecision! approximat! 부동소수! 실수! 정밀도! 오차! 浮動小数! 精度! 誤差! 浮点! 误差!",
    ),
    ("rounding", "round! rounding! cent! cents truncat floor! ceil! fraction! half! penny! money~ amount~ currency~ lost~ decimal~"),
    (
        "timezone",
        "timezone! zone! time-zone! utc! local! daylight! dst! offset! naive! datetime! clock hour! date! midnight! timestamp! server~ region~ summer! aware! hours! gmt! calendar! tz! epoch! zoneinfo! regional! day~ shift~ travel~ winter! wall~ 시간대! 타임존! 현지~ タイムゾーン! 時差! ローカル時刻! 时区! 本地时间! 夏令时!",
    ),
    ("clock", "clock! monotonic! wall! elapsed! skew! ntp! jump! system~ time~ interval~ duration backwards! adjust~"),
    (
        "unit",
        "unit! units milliseconds! seconds! millis! bytes! kilobytes! factor! thousand! 1000! 1024! convers! convert mismatch! mix! mixed! scale! minutes! expects! passed~ metres! degrees! wrong~ off~ celsius! inches! cents! magnitude~ dimension! ms! duration! nanoseconds! microseconds! interpret~ hours~ radians! pixels! percent~ 단위! 밀리초! 초~ 単位! ミリ秒! 单位! 毫秒! 换算! multiply! divide~ accordingly~ ideas~",
    ),
    (
        "timeout",
        "timeout! deadline! hang! hangs wait! forever! indefinit! block~ limit~ respon! answer! peer! remote! network! request~ server~ stall! silent! slow~ stuck unlimited! worker~ time call~ connection~ budget! never~ bound dead~ give~ interrupt~ cancel! tie~ ties~ pin~ seconds~ upstream! hung! spinner! exits~ settimeout! abort~ unrespons! unreach~ unbounded~ clock~ expire~ eternal! patience! 타임아웃! 시간~ 제한! 응답! 무한 대기! 기다~ タイムアウト! 応答! 待ち続け! 制限時間! 超时! 响应! 一直等待! 时限! 阻塞~ bounded~ abandoned! interrupted~ long~ cancellation! stalls prepared~",
    ),
    (
        "retry",
        "retry! retries retried! backoff! back-off! hammer! attempt! attempts tight! pause! delay! sleep! again! immediat! exponential! jitter! flood! storm! repeat~ fail~ busy! spin~ loop~ maximum~ times~ service~ overload! thundering! outage! recover~ burn~ reconnect! tries! try~ lockstep! connect~ once~ cap~ ceiling~ resend! repeated~ wave! bombard! succession! hot~ limit~ 재시도! 백오프! 간격! 반복~ 再試行! リトライ! バックオフ! 間隔! 重试! 退避! 间隔! 指数!",
    ),
    (
        "loop",
        "infinite! endless! loop terminat! forever! never~ end~ ends! exit! condition~ spin! break! stop! stuck~ cpu! 100%! progress! unreachable~ iteration~ counter~ advance! increment! cycle~ terminates! endlessly! runaway! unbounded~ halting! finish~ rotates! ever~ bound~ escape~ step! zero~ stays! position~ goes~ while! rounds! 무한! 반복! 루프! 종료~ 無限! ループ! 終わら! 死循环! 无限循环! 循环 终止~ cyclic! circles! visited~ passes~ out~ updated~ stops! shows~",
    ),
    (
        "recursion",
        "recurs! stack! depth! nest! nested~ overflow~ limit~ deep! unbounded~ crafted~ input~ blow~ 재귀! 깊이! 再帰! 深さ! 递归! 深度! base! smaller! proven~",
    ),
    (
        "quadratic",
        "quadratic! o(n! n^2! n² linear! squared! complexity scan! nested! loop~ lookup! search! slow! scale! scales large~ big~ perform! index~ set~ map~ hash! inside~ each~ every~ again walk! full~ membership! element~ rebuil! repeated! repeatedly thousand~ list~ cost! constant-time! once~ inner! pairwise! comparisons! input~ size~ time~ items~ minutes! rows~ array~ sort~ concat~ outside~ includes~ polynomial! superlinear! n-squared! n*n! growth~ degrade! explode! dictionary! hashmap! hashset! bottleneck! expensive! brute-force! times~ length~ o(n)! o(n²)! o(n^2)! precompute! trips~ 제곱! 이차! 중첩~ 선형! 느림! 느려! 성능! 매번~ 二乗! 線形! 遅い! 性能! 平方! 线性! 嵌套~ 很慢! 复杂度! quadruple! doubling! square! everything~ dozen! disproportion! realistic~ runtime~ pieces~ piece~ concatenat! compares~ recopies! volume~",
    ),
    (
        "nplus",
        "n+1! query! queries! batch! round-trip! round trip! per~ each~ row! inside~ loop~ database! select~ single~ join prefetch! eager! lazy! fetch! request~ item~ load~ issue~ one~ roundtrip! in-clause! chatty! bulk! many~ thousand~ hundreds~ child! parent~ related! association! lazily! separately! individually! traffic! network~ iteration~ lookup~ separate~ statement~ access~ 쿼리~ 반복문~ 건마다! 一件ごと! ループ内! 逐条! 循环中~ 批量! queried! trips! dominates~ latency! front! hundred!",
    ),
    (
        "blocking",
        "blocking! block! async! event! loop~ synchronous! sync! executor! freez! stall! scheduler! main~ thread worker non-blocking! runtime! coroutine! await~ i/o! io! responsive! responding! task! tasks other~ requests~ disk~ offload! sleep~ waiting~ call~ readfilesync! ui! interface! reactor! spawn_blocking! pool~ park! tokio! cpu-heavy! cpu~ hot~ every~ latency! handler~ starv! heavy! long~ loop's~ hog! 블로킹! 비동기! 이벤트~ 루프~ 동기~ ブロック! 非同期! イベントループ! 阻塞! 异步! 事件循环! awaitable! synchronously! unresponsive! asynchronous! shared~ handlers! point~ everything~",
    ),
    (
        "await",
        "await! awaited! promise! future! coroutine! floating! async! fire-and-forget! unhandled~ rejection! result~ forgotten! missing~ never~ pending! runs~ before~ complete~ finish~ resolv~ settle! callback~ forgot! waits~ nobody~ returns~ promise.all! unobserved! dangling~ background! then~ asynchronous! pend! thenable! microtask! complet! 어웨이트! 기다리지! 프로미스! 비동기~ プロミス! 待たれ! 非同期~ 等待~ 未等待! 承诺! 异步~ returned~",
    ),
    (
        "secret",
        "secret! credential! password! hard-coded! hardcoded! hard-wired~ key! token! source! repository! committed! commit checked-in! checked~ embed! literal rotate! rotat vault! environment! plain~ version-control! control~ history! leaked! constant~ code~ config~ baked! api! access~ grants~ authenticat~ string~ anyone~ release~ manager! env! revoke! installation! admin~ repo! anybody! move~ hardcode! hard-code! inline! leak~ default~ git! checkout! production~ keystore! embedded! shipped! binary~ changing~ 비밀번호! 비밀키! 하드코딩! 하드코드! 자격 키~ 소스~ 저장소~ 토큰 パスワード! 秘密! ハードコード! 認証情報! 鍵! 密码! 密钥! 硬编码! 凭证! 凭据! 源码~",
    ),
    (
        "logsecret",
        "log! logs! logged! logging! logger! password! secret! token! credential! sensitive! redact! mask! personal! pii! print! prints printed! dump! diagnostic! output! expos! plain~ leak~ clear~ verbatim! header~ value~ trace~ reveal! operators! bundle~ debug~ private scrub! file~ strip! card! e-mail! email! ci~ visible! info~ body~ logfile! log-file! plaintext! confidential! privacy! disclos! appear~ record! stdout~ console~ emits! telemetry! sees~ key~ write~ written~ 로그! 기록~ 출력~ 비밀번호~ 노출! 평문! 개인정보! ログ! 記録~ 漏れ~ 平文! 個人情報! 日志! 打印! 明文! 敏感! 泄露! 脱敏! information~ details collected~ authorisation~ authorization~",
    ),
    (
        "auth",
        "auth! authenticat! authoriz! authoris! permission! access! privilege! role! login! ownership! owner! anonymous! idor! anyone! unauthori! caller! user~ check~ any~ forbidden! rights! tenant! admin! session~ endpoint! protect~ verif~ allow~ guard~ missing~ other~ logged-in! public! middleware! isolation! customer! people~ everyone! belong! verifies~ identity~ acl! policy! unauthenticated! unprotected! restricted! guest! elevat! bypass! entitle! account~ data~ deleg~ route~ who~ stranger! signed-in! perform~ operation~ member! members! logged~ 권한! 인증! 인가! 소유! 관리자! 로그인! 権限! 認可! 認証 管理者! 权限! 授权! 鉴权! 认证! 越权! 管理员! allowed! performs~ direct! touch~ textbook~ identifier~",
    ),
    (
        "csrf",
        "csrf! forgery! forged! cross-site! same-site! origin! token~ request~ form! state-changing! victim! cookie! samesite! cross! hidden~ post! anti-forgery! authenticity! mutating! button~ page~ browser~",
    ),
    (
        "ssrf",
        "ssrf! server-side! internal! metadata! url! fetch host! address! network~ outbound! allow-list! attacker~ user~ request~ localhost!",
    ),
    (
        "redirect",
        "redirect! url! phishing! location! destination! target~ unvalidated~ open~ user~ external~ domain! site! allow-list! returnto! return~ next~ forward! login~ landing~ off-site! elsewhere~ sends~ attacker~ foreign~ trusted~ relative~",
    ),
    (
        "crypto",
        "md5! sha1! sha-1! hash! cipher! weak! broken! crypto! encrypt! ecb! iv! salt! unsalted! digest! collision! algorithm! outdated~ insecure~ modern! brute! bcrypt! argon2! obsolete key~ nonce! deprecated~ attack~ rainbow! sha-256! sha256! aes! des! rc4! strength! password~ hashing! kdf! scrypt! cryptographic cryptograph! forge! deriv~ integrity~ sound~ known~ 암호! 해시! 솔트! 취약~ 暗号! ハッシュ! 加密! 哈希! 盐! 弱~ recover~ initialization! initialisation! scheme! protection~",
    ),
    (
        "random",
        "random! predict! predictable! guess! guessable! seed! prng! generator! entropy! math.random! secure! insecure cryptographic! token~ attacker~ csprng! unpredictable! pseudo! session~ source~ value~ next~ randomness! rand! predictab! enumerate~ mersenne! os.urandom! crypto.getrandomvalues! getrandom! nonce~ non-cryptographic! guessed! statistical! reset~ 난수! 예측! 무작위! 乱数! 予測! 随机! 预测! 可猜测! unguessable! simulation! adequate~ ordinary! serves~",
    ),
    ("timing", "timing! constant-time! timing-safe! byte-by-byte! compar side-channel! early~ secret~ length~ hmac! leak~ digest~"),
    (
        "tls",
        "tls! ssl! certificate! verif! hostname! https! http! plaintext! transport! encrypted! man-in-the-middle! mitm! trust~ disabled~ insecure~ unencrypted!",
    ),
    (
        "deserial",
        "deserial! unpickl! pickle! unmarshal! yaml! untrusted! object! eval! load! arbitrary! code~ execut~ gadget! serializ! payload! marshal! attacker~ class! construct~ rebuild~ json~ safe~ unsafe~ blob~ unpickle! gadgets! readobject! safe_load! yaml.load! execution! remote~ instantiat! bytes~ foreign! types~ format~ loader! unsafely! reconstruct! graph! parse~ plain~ restor! received~ 역직렬화! 직렬화 デシリアライズ! 逆シリアル! 反序列化! 序列化 variant~ tags~ basic~",
    ),
    (
        "validation",
        "validat! unvalidated! sanity! reject! untrusted trust! input! malformed! accepts! range~ bounds~ checked~ check~ verif~ length~ negative! caller~ user~ constrain! assum~ garbage! external~ anything! taken~ arrives~ before~ whatever! schema! allowed~ unfiltered! limits~ unverified! blindly! sanity-check! sanitis~ sanitiz~ verified~ plausib! empty~ null~ size~ format~ type~ arbitrary~ boundar! enforce! precondition! nonsense! bad~ payload~ form~ body~ hostile! sender! absurd! trusts! quantity~ goes~ straight~ implausible! 검증! 유효성! 입력~ 확인~ 검사 検証! 入力~ 妥当性! 校验! 验证! 输入~ 检查 permitted! boundary! message~ validate!",
    ),
    (
        "regex",
        "regex! regular! expression! pattern! backtrack! redos! anchor! catastrophic! exponential! nested~ quantifier! match! hang~ greedy! crafted~ dot~ escap~ cpu~ input~ 정규식! 정규~ 正規表現! 正则! 回溯!",
    ),
    (
        "encoding",
        "encoding! utf-8! utf8! utf-16! charset! unicode! decod! encod! non-ascii! ascii! byte! bytes! multi-byte! multibyte! character! mojibake! codepage! surrogate! locale! text! umlaut! emoji! platform! default~ mangl! garbl! accent! lossy~ string~ codec! cp1252! latin-1! windows~ slic! chunk~ replacement! string's~ utf! bom! glyph! codepoint! grapheme! international! diacritic! foreign~ language~ explicit~ 인코딩! 문자! 바이트! 한글! 깨짐! 유니코드! エンコード! 文字コード! 文字化け! バイト! 编码! 字符! 乱码! 字节! decode!",
    ),
    ("locale", "locale! case! lowercase! uppercase! turkish! casefold! collat! case-sensitiv! case-insensitiv! language! compar~"),
    (
        "compare",
        "invert! inverted! polarity! negat! reversed! reverse! opposite! condition! operator! comparison! flipped! backwards! wrong boolean! branch! branches swapped! swap logic! true false and~ or~ predicate! test~ mixed~ accept~ reject~ refused~ side~ success~ failure~ not~ intent~ contrary! upside! sign! mistaken! check~ >=! <=! != instead~ limit~ always~ bail~ through~ otherwise~ admit! sense! inverse! inequality! flip~ exact~ should~ less! greater! than~ decision! guard~ 조건! 반대! 뒤집! 비교! 부등호! 부정~ 잘못~ 条件! 逆! 反対! 比較! 否定! 相反! 反了! 写反! 比较! 取反! less-than! evaluat~ both~ misleading~ joined~ expression~ filter~ effect~ inverts! alternatives~",
    ),
    (
        "assign",
        "argument! arguments swapped! swap! order! parameter! position! positional! transposed! wrong! variable! shadow! redeclar! assignment! equals~ copy-paste~ mixed~ call~ signature! expects! expected~ first~ second~ reversed~ exchanged! interchanged! passed pass~ keyword~ named~ wrongly~ misplaced! interchang! parameters! receives! receiver~ slot! confus~ width~ height~ latitude! longitude! source~ destination~ replacement~ pattern~ callee! slots! slip! 인자! 순서! 바뀜! 뒤바! 인수! 매개변수! 引数! 順番! 逆~ 入れ替わ! 参数! 顺序! 颠倒! 传反! operand! vice! versa! declaration! round~ sent~ judging~",
    ),
    ("identity", "reference! identity! equality! equals! loose! strict! coerc! compar object~ value~ same~ == === type~"),
    (
        "mutabledefault",
        "default! mutable! shared! calls! list~ argument parameter evaluated! once! definition! state persist! leak~ dict~ next~ across! between~ same~ object instance~ invocation! accumulat! remembers! carries! carried! def! per-call~ fresh! none~ sentinel! caller~ 기본값! 공유! 가변! デフォルト! 可変! 共有! 默认! 可变! 共享! modifiable! immutable! fallback~",
    ),
    (
        "sharedstate",
        "global! shared! mutable! module-level! alias! mutat! caller defensive! side-effect! effect hidden~ modif! state~ internal! copy~ in-place! input~ argument~ singleton!",
    ),
    (
        "iterate",
        "iterat! modif! mutat! remov! delet! while! during! loop collection! list~ changed! skip! concurrent! invalidat! iterator! element~ traversed! walk! size~ copy~ over~ underneath! splice! foreach! erase! travers! concurrentmodificationexception! mutation! being~ alter! mid-iteration! snapshot~ unstable~ iterable! visited~ shorten! survive~ own~ afterwards! deferred~ 순회! 반복~ 도중! 삭제! 수정~ 走査! 反復中! 削除! 遍历中! 迭代! 删除! 修改~ shift! cursor! deletion! inside~ safe~ walked!",
    ),
    (
        "default",
        "default! fallback! fall-through! falls! fall! fallthrough! break! switch! case! unhandled! variant! exhaustive! else! next! branch~ missing~ enum! arm! label! match~ execution! continues! runs~ through! unintended! omitted! implicit~ cases! unexpected~ clause~ terminat~ clauses~ exhaustiv! labels! forgotten~ overwritten~ actions~ 기본! 분기! 누락! 빠짐! 分岐! 既定! 漏れ! 缺省! 分支! 遗漏! 穿透! branches! carried~ execute~ below~",
    ),
    (
        "cache",
        "cache! cached stale! invalidat! outdated! old! memo! refresh! yesterday! update! change~ changes~ value~ expir! store~ remember! still~ serve! read~ after~ until~ restart! fresh! ttl! data~ clear! survives! never~ up-to-date! previous! diverge! reload! hook~ language~ visitor~ staleness! hit! miss~ evict~ cach! warm~ purge~ keep~ reflect! current~ snapshot! obsolete~ 캐시! 갱신! 오래된! 무효화! キャッシュ! 古い! 更新! 無効化! 缓存! 过期! 失效! 旧~ 刷新! omits! entry~ stored! share~ reused~ expiry! forever~ truth~ differ~",
    ),
    (
        "transaction",
        "transaction! rollback! rolled! partial! atomic! half! half-written! commit! inconsistent! consistent all-or-nothing! both~ write! writes steps! between~ crash~ second~ first~ fail~ database~ together~ left~ middle! update~ midway! interrupted! corrupt~ atomically! interrupt~ abort~ undo! halfway! inconsisten! torn~ orphan! unfinished~ saga! either! neither! one~ other~ mid! partially! roll~ survive~ step! multi-step! created~ reject~ save~ 트랜잭션! 롤백! 원자성! 일부! 부분~ トランザクション! ロールバック! 部分~ 途中~ 事务! 回滚! 一致! balance! side~ rolls! inconsistency!",
    ),
    (
        "idempotent",
        "idempoten! duplicate! twice! replay! retry~ deliver! redeliver! repeat! double! charge! processed! at-least-once! again same~ request~ message~ side~ effect~ key~ dedup! second~ rerun! re-run! resubmit! once! exactly-once! repeated! duplicates! webhook! event~ payment! token~ counted! already~ effects! append~ record~ running~ attempt~ redelivery! resends! 멱등! 중복~ 두 번~ 두번! 冪等! べき等! 二重! 幂等! 重复~ 两次! doubles! pristine! execution~ existing~ outcome~ unconditional! application~ hits~",
    ),
    (
        "ordering",
        "order! ordering! sort! sorted unstable! nondetermin! non-determin! determin! iteration hash! map~ set~ guarantee! differ! run~ runs~ random~ lexic! tie! ties! stable! reproduc! flaky! vary! varies predict~ consistent~ sequence! enumerat! arbitrary! alphabet! dictionary~ collection~ rely~ relies! reli! deterministic! platform~ numbers~ text~ before~ sorting! shuffle! 정렬! 순서! 비결정! 順序! 並び! ソート! 排序! 顺序 不确定! rows~ snapshot! listing~",
    ),
    ("fsync", "fsync! durab! flush! power! atomic! rename! torn! crash disk! loss! synced! persist~ half~ file~"),
    ("tempfile", "temp! temporary! tmp! mktemp! symlink! predictable world-writable! name~ file~ race~ attacker~ 임시! 一時! 临时!"),
    (
        "permissionbits",
        "mode! permission! chmod! umask! world! world-readable! readable! everyone! group! 0777! 0644! 0600! permissive! owner! file~ users~ local~ secret~ write~ restrict! others~ world-writable! 644! 600! 0666! 777! mask~ accessible! account~ machine~ system~ confidential~ created~ creates~ private! tighten! loose! 권한~ 모드! パーミッション! 权限~ 可读!",
    ),
    ("signal", "signal! sigterm! sigint! handler shutdown! graceful! interrupt! async-signal! stop~ drop~ kill~"),
    (
        "pagination",
        "paginat! page! pages! cursor! next! first~ rest! remaining! result~ limit~ truncated~ incomplete! only~ all~ api~ records~ batch~ more~ token~ offset! iterat~ nextpage! has_more! hundred! default~ later! everything~ missing~ list~ complete~ 페이지! ページ! 分页!",
    ),
    ("ratelimit", "rate! throttl! flood! brute! abuse! limit~ attempts~ endpoint~ requests~ quota!"),
    (
        "deadcode",
        "=dead! unreachable! unused! never caller! references! obsolete! leftover! remove! delete! used~ run~ execut! called~ code~ nothing~ reader~ no~ branch~ condition~ always~ referenced! refactor~ uncalled! redundant! purpose rid! go~ invoked! path~ calls~ taken assigned~ read~ old~ longer effect~ reach! vestig! relic! legacy! clutter! stays~ live~ trigger~ anymore! useless! orphan~ strip~ can~ ever~ 사용되지! 쓰이지! 도달! 미사용! 죽은! 불필요! 使われ! 未使用! 到達! 不要! 无用! 死代码! 不可达! 没有调用! arrive! refer~ history~ left~ serves~ design~ usages! excluded~ drop~ earlier~ search~ execution",
    ),
    (
        "duplicate",
        "duplicat! copy! copied copy-pasted! copy-paste! repeat! identical! same dry! clone! cloned drift! helper! extract! shared share~ factor! reuse! re-implement! reimplement! logic block~ elsewhere! twice~ second~ common! exists~ already! implementation! maintain! diverge! paste! util! utility! rolling! times~ own~ version~ lines~ place~ twin! parallel~ redundan! consolidat! centrali! unify! single~ maintained! instead~ both~ sync~ keep~ divergent! copies! clones 중복! 복사! 반복~ 동일~ 重複! コピー! 同じ~ 重复! 复制! 拷贝~ 相同~ apart! forgotten~ versions!",
    ),
    (
        "naming",
        "name! naming! rename! misleading! unclear! ambiguous~ identifier! misspell! misspelt! spelling! typo! suggests! vague! confus! descri! cryptic! abbreviat! meaningless! says~ reader~ reveals! conveys! means~ variable~ letter! renam! readers! descriptive! hungarian! nondescript! opaque! label~ called~ purpose! intent! single-letter! mislead! wording~ tmp~ data~ method~ meaningful! telling! convention! generic! contents~ letters~ abbreviation! suggest! clearer! self-describing! 이름! 명명! 오타! 변수명! 名前! 命名! 誤字! 名称! 变量名! 拼写! refers~ labels! specific! plural! stands~ tell~ meaning!",
    ),
    (
        "docs",
        "comment! document! docstring! description! readme! stale! outdated! contradict! misleading explanation! explain! explains doc! docs! says! describes! text~ behaviour~ behavior~ wrong~ match~ former! longer! true~ above~ reader~ update~ disagree! date~ claim! mention! lies! contrary! example~ signature~ renamed~ javadoc! describ! inaccurate! incorrect~ changelog! guide! docblock! wording~ promise~ contract~ written~ drift! sync~ reality! follow~ remark! note! 주석! 문서! 설명! 낡은! コメント! ドキュメント! 説明! 注释! 文档! 说明! 过时! while~ manner~",
    ),
    (
        "test",
        "test! tests untested! coverage! covered! cover! covers regression! suite! scenario! exercise! assertion! asserts~ unit! integration! case! flaky! happy! path~ spec! checks~ automated! verif! behaviour~ prove~ break~ gap! pinned! ci~ assert~ broken~ endpoint~ untest! fixture! mock! reproduces! reproduc~ edge~ branch~ confidence! refactor~ guarantee~ green! regress! protect~ safety~ 테스트! 커버! 시험! 회귀! テスト! カバレッジ! 网罗~ 测试! 覆盖! 用例! 回归! breakage! tomorrow~ verified parametri! executed~ assertions~ works~",
    ),
    (
        "magic",
        "magic! number! literal! constant! unexplained! hard-coded! hardcoded! hard-wired! named! name~ figure! meaning! rationale! configurable! threshold! value why! bare~ reader~ appears~ limit~ extract~ explain! stands~ numeric! chosen! reason~ tune! nowhere~ define~ once~ places~ inline~ know~ come~ derive! origin! arbitrary! unnamed! naked! raw~ comment~ mean! cryptic~ symbolic! self-explanatory! units~ 매직! 상수! 숫자! 하드코딩~ 의미~ マジック! 定数! 数値! 魔法! 常量! 数字! 魔数! buried! tuning! guess adjusts~ numeral! recurs~ measured~",
    ),
    (
        "complexity",
        "long! split! cyclomatic! complex! nested hard~ follow! readab! function~ refactor! responsibil! large~ much~ branches~ understand! smaller! untangle! lines~ 복잡! 너무~ 분리! 함수~ 複雑! 長すぎ! 分割! 复杂! 过长! 拆分!",
    ),
    (
        "logging",
        "debug! print! printf! console.log! log! leftover! left! logging noisy! noise! statement trace! output! stdout! production~ remove~ level! development! forgotten~ printl! temporary! clutter! console! diagnostic~ stray! printing! remnant! scaffolding! troubleshoot! terminal~ logger~ spam! stderr! tracing! dump~ accident~ message~ flood! committed~ testing~ 디버그! 출력! 남아~ 로깅! デバッグ! 出力! 残って! 调试! 输出! 残留! 打印~ stay! chasing! bug~ meant~ take~",
    ),
    (
        "typing",
        "type! types cast! string~ number~ annotation! mismatch! implicit! coerc! convers! parseint! radix! nan~ wrong~ concatenat~ any! 타입! 자료형! 변환! 変換! 类型! 转换!",
    ),
    (
        "config",
        "configur! setting! option! flag! environment! env! ignored~ variable~ override! parameter~ respected! 설정! 환경! 옵션! 設定! 環境! 配置! 环境! 选项!",
    ),
    (
        "dependency",
        "dependency! dependencies version! unpinned! pinned! pin! outdated! vulnerable! lockfile! package! library! upgrade! cve! supply!",
    ),
    (
        "compat",
        "compat! backward! backwards-compatib! breaking! break! breaks api! migration! schema! wire! clients! consumers! deprecat! public! signature! existing! callers renamed~ removed~ version! old~ field~ change~ contract! downstream! semver! consumer~ upgrade! rename~ exported! removes~ changes~ dependents! integrat! versions~ serialized~ rollout! major! release~ older! parse~ silently~ 호환! 하위~ 변경~ 互換! 破壊的! 兼容! 破坏性! 接口~",
    ),
    (
        "copy",
        "copy! copies clone! cloned allocat! unnecessar! needless! borrow! reference~ avoid~ memory! whole! large~ duplicate! buffer~ performance~ builder! concatenat! slice! extra! redundant~ pass~ hot~ view! clones! duplicated~ heap~ move~ iterator! stream! by-value! value deep! per-call! allocations! garbage~ pressure! throughput! vector~ reuse! twice~ rebuilt! passes~ 불필요한! 복제! 할당! コピー 割り当て! 不要な! 拷贝! 克隆! 分配! 多余! by-reference! duplicates! const~ materiali! generator! chunks! gigabyte! intermediate! entire~ doubles~",
    ),
    ("todo", "todo! fixme! unfinished! placeholder! stub! unimplemented! implement! incomplete! later!"),
    ("accessib", "accessib! aria! screen! contrast! keyboard! focus! alt!"),
    ("react", "useeffect! rerender! re-render! hook! closure! props! state~ dependency! component! render~"),
    (
        "emptyinput",
        "empty! zero-length! nothing! no~ list~ input~ collection~ element~ edge! 빈! 비어! 빈값! 空の! 空リスト! 空列表! 空数组! 空输入!",
    ),
    (
        "errormsg",
        "message! error vague! unhelpful! misleading~ context! detail! cause! says! tells~ user~ helpful! understand~ generic! text~ which~ diagnos~ why~ names~ include! wording! phrase! hint! actionable! unclear! operators~ debug~ offending! original~ input~ support~ identify~ obscure~ empty~ something~ fails~ tell~ 메시지! 안내! 불명확! メッセージ! 不明瞭! 消息! 提示! 不清楚!",
    ),
    (
        "cleanup",
        "cleanup! clean! left! behind! orphan! temporary~ undone! early! return~ path~ error~ remove~ rollback~ 정리! 남는! 後始末! 清理! 残留~",
    ),
    ("version", "version! checksum! integrity! magic~ header! format! signature! verif! tamper! mismatch~"),
    ("cors", "cors! origin! wildcard! allow-origin! cross-origin! credentials~ header~ domain~"),
    ("cookie", "cookie! httponly! secure~ samesite! session flag~ javascript~"),
    ("xxe", "xxe! xml! entity! entities! doctype! dtd! external! parser~ billion!"),
    ("prototype", "prototype! pollution! __proto__! merge! keys~ object~"),
    ("loginject", "newline! forged~ forge~ log line~ inject! control~ crlf! entries~ header~ split~"),
    (
        "sizelimit",
        "size! limit! upload! payload! oversized! huge! memory~ body! request~ denial! dos! exhaust! megabyte! maximum! bomb! decompress! large~",
    ),
    ("style", "style! lint! format! indentation! whitespace! consisten! convention! idiomatic! semicolon~ quotes~ import! unused~ brace!"),
    ("dbindex", "index! indexes! table! scan! migration~ column! where~ slow~ full~ explain~"),
    (
        "encapsul",
        "public! private! encapsulat! internal! expose! visibility! leak~ abstraction! layer! module~ coupling! coupled! depend~ interface~",
    ),
    ("i18n", "translat! i18n! localis! localiz! hard-coded~ language! text~ locale~ string~ plural!"),
    ("jwt", "jwt! signature! algorithm~ none~ expiry! expir! claim! token! verif~ issuer! audience!"),
];

/// What a marked stem, any other and a weak one weigh, in logarithms of how much more often it is said of its concept than else.
const STRONG: f64 = 4.0;
const PLAIN: f64 = 2.2;
const WEAK: f64 = 1.0;

/// The words of a text depend on one another: together they say less than their sum.
const TEMPER: f64 = 0.8;

/// More than this one text does not say of a concept.
const MOST: f64 = 9.0;

/// A word of the title counts this much more than one of the body.
pub(super) const TITLED: f64 = 1.25;

/// A word that stands in the line or the path counts this much less.
const LOCAL: f64 = 0.5;

/// The share of findings that speak of none of the concepts.
const OTHER: f64 = 0.3;

/// Of which concepts a text speaks, by the rule of Bayes.
#[derive(Debug, Clone, Default)]
pub(super) struct Belief {
    /// How likely it speaks of each concept that a word of it points to, in the order of the table.
    likely: Vec<(usize, f64)>,
    /// By how much every other concept, and none, became less likely than it is before a word is read.
    rest: f64,
}

impl Belief {
    /// From words, with how much those of each part count. Words that stand `there`, where the finding points to, say less.
    pub(super) fn of(parts: &[(&[String], f64)], there: &BTreeSet<String>) -> Belief {
        let table = table();
        let mut weights: BTreeMap<usize, f64> = BTreeMap::new();
        for (words, factor) in parts {
            let mut told: BTreeMap<usize, f64> = BTreeMap::new();
            for word in *words {
                let says = if there.contains(&stem(word)) { LOCAL } else { 1.0 };
                for stem in table.all(word) {
                    let known = told.entry(stem).or_default();
                    *known = known.max(says);
                }
            }
            for (says, (concept, weight)) in told.iter().flat_map(|(stem, says)| table.stems[*stem].iter().map(move |s| (says, s))) {
                *weights.entry(*concept).or_default() += factor * says * weight;
            }
        }
        let before = table.before();
        let likely: Vec<(usize, f64)> = weights.into_iter().map(|(c, w)| (c, before * (TEMPER * w).min(MOST).exp())).collect();
        let all = likely.iter().map(|(_, l)| l).sum::<f64>() + 1.0 - before * likely.len() as f64;
        Belief { likely: likely.into_iter().map(|(c, l)| (c, l / all)).collect(), rest: 1.0 / all }
    }

    /// How much more likely two texts are when they speak of one concept than when they do not, as a logarithm.
    pub(super) fn alike(&self, other: &Belief) -> f64 {
        let before = table().before();
        let (mut likely, mut told) = (0.0, 0);
        let (mut x, mut y) = (self.likely.iter().peekable(), other.likely.iter().peekable());
        // Both lists are in the order of the table.
        while let Some(concept) = x.peek().into_iter().chain(y.peek()).map(|(concept, _)| *concept).min() {
            let of = |said: Option<&(usize, f64)>, rest: f64| said.map_or(before * rest, |(_, likely)| *likely);
            let (here, there) = (x.next_if(|(c, _)| *c == concept), y.next_if(|(c, _)| *c == concept));
            likely += of(here, self.rest) * of(there, other.rest) / before;
            told += 1;
        }
        likely += (1.0 - before * f64::from(told)) * self.rest * other.rest;
        likely.ln()
    }
}

/// The table with its stems numbered.
struct Table {
    /// How many concepts there are.
    concepts: usize,
    /// Of each stem the concepts that it points to, and how much.
    stems: Vec<Vec<(usize, f64)>>,
    /// Stems by their first two bytes, the longest first, and whether a word has to be just that, which comes before.
    by_head: HashMap<[u8; 2], Vec<(&'static str, bool, usize)>>,
}

impl Table {
    /// How likely each concept is before a word is read.
    fn before(&self) -> f64 {
        (1.0 - OTHER) / self.concepts as f64
    }

    /// The stems of a word: the one it starts with; in a script that writes words together, those that stand anywhere in it.
    fn all<'w>(&'w self, word: &'w str) -> impl Iterator<Item = usize> + 'w {
        let spaced = word.is_ascii() || !word.chars().any(is_unspaced);
        word.char_indices().take_while(move |(at, _)| *at == 0 || !spaced).filter_map(|(at, _)| self.find(&word[at..]))
    }

    /// The longest stem that a word starts with or is.
    fn find(&self, word: &str) -> Option<usize> {
        let stems = self.by_head.get(word.as_bytes().get(..2)?)?;
        let bare = stem(word);
        let is = |text: &str, whole: bool| word == text || bare == text || (!whole && word.starts_with(text));
        stems.iter().find(|(text, whole, _)| is(text, *whole)).map(|(.., number)| *number)
    }
}

/// The table, split once. A stem of several concepts says the less of each.
fn table() -> &'static Table {
    static TABLE: std::sync::OnceLock<Table> = std::sync::OnceLock::new();
    TABLE.get_or_init(|| {
        let mut numbers: HashMap<(&'static str, bool), usize> = HashMap::new();
        let mut table = Table { concepts: CONCEPTS.len(), stems: Vec::new(), by_head: HashMap::new() };
        for (concept, (_, stems)) in CONCEPTS.iter().enumerate() {
            for marked in stems.split(' ') {
                let (text, weight) = match (marked.strip_suffix('!').filter(|t| t.len() > 1), marked.strip_suffix('~')) {
                    (Some(text), _) => (text, STRONG),
                    (_, Some(text)) => (text, WEAK),
                    _ => (marked, PLAIN),
                };
                let alone = text.strip_prefix('=').filter(|rest| rest.starts_with(char::is_alphabetic));
                let whole = alone.is_some() || (text.is_ascii() && text.len() < 4);
                let text = alone.unwrap_or(text);
                let number = *numbers.entry((text, whole)).or_insert(table.stems.len());
                if number == table.stems.len() {
                    table.stems.push(Vec::new());
                    table.by_head.entry([text.as_bytes()[0], text.as_bytes()[1]]).or_default().push((text, whole, number));
                }
                table.stems[number].push((concept, weight));
            }
        }
        table.by_head.values_mut().for_each(|stems| stems.sort_by_key(|(text, whole, _)| (std::cmp::Reverse(text.len()), !whole)));
        for concepts in &mut table.stems {
            let shared = (concepts.len() as f64).ln();
            concepts.iter_mut().for_each(|(_, weight)| *weight = (*weight - shared).max(0.2));
        }
        table
    })
}

/// The concepts and their stems, as docs/identity.md shows them.
pub fn concepts() -> impl Iterator<Item = (&'static str, &'static str)> {
    CONCEPTS.iter().copied()
}
