//! Makes the n-th system call of a program fail: a library for `LD_PRELOAD` on Linux x86-64, which
//! `injector.rs` compiles and configures.
//!
//! A seccomp filter turns every call on files into a signal, and the signal handler decides its
//! result. This way no call is missed, not even one that bypasses the C library. The handler never
//! allocates memory, because the allocator makes system calls too.
//!
//! | variable | meaning |
//! |---|---|
//! | `FAULT_CALLS` | calls to count: `change` or `read` |
//! | `FAULT_PATH` | only files with this in their path |
//! | `FAULT_DO` | `count`; `enospc`, `edquot`, `eio`; `short`, `eintr`, `kill`; `vanish`, `grow`, `shrink` |
//! | `FAULT_AT` | number of the call; `3+` for the third and all later ones |
//! | `FAULT_LOG` | file to log each counted call to, one per line |

use std::env;
use std::ffi::{CStr, c_char, c_int, c_long, c_void};
use std::ptr::{from_ref, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// The file that a call refers to.
#[derive(Clone, Copy, PartialEq)]
enum About {
    /// The open file in its first argument.
    File,
    /// The path in this argument.
    Path(usize),
}

/// The calls that are intercepted.
#[rustfmt::skip]
const CALLS: &[(c_long, &str, About)] = &[
    (0, "read", About::File), (17, "pread", About::File), (19, "readv", About::File),
    (295, "preadv", About::File), (296, "pwritev", About::File),
    (1, "write", About::File), (18, "pwrite", About::File), (20, "writev", About::File),
    (74, "fsync", About::File), (75, "fdatasync", About::File), (77, "ftruncate", About::File),
    (91, "fchmod", About::File), (285, "fallocate", About::File),
    (82, "rename", About::Path(1)), (264, "renameat", About::Path(3)),
    (316, "renameat2", About::Path(3)), (86, "link", About::Path(1)), (265, "linkat", About::Path(3)),
    (83, "mkdir", About::Path(0)), (258, "mkdirat", About::Path(1)),
    (84, "rmdir", About::Path(0)), (87, "unlink", About::Path(0)), (263, "unlinkat", About::Path(1)),
    (90, "chmod", About::Path(0)), (268, "fchmodat", About::Path(1)),
    (76, "truncate", About::Path(0)), (85, "creat", About::Path(0)),
    (2, "open", About::Path(0)), (257, "openat", About::Path(1)),
];

/// Alternatives to these calls: sendfile, splice, copy_file_range, preadv2, pwritev2 and io_uring.
/// They fail with ENOSYS, so that programs fall back to the calls above.
const REFUSED: &[c_long] = &[40, 275, 326, 327, 328, 425];

const READS: &[&str] = &["read", "pread", "readv", "preadv"];
const WRITES: &[&str] = &["write", "pwrite", "writev", "pwritev"];
/// Calls that free space.
const REMOVALS: &[&str] = &["unlink", "unlinkat", "rmdir"];
/// Calls that a signal can interrupt, besides reads and writes.
const INTERRUPTIBLE: &[&str] = &["open", "openat", "fsync", "fdatasync", "ftruncate"];

/// The sixth argument of this library's own calls, by which the filter recognizes them.
const OURS: u32 = 0x0fa0_175e;

struct Orders {
    reads: bool,
    path: String,
    fault: String,
    at: usize,
    and_on: bool,
    log: Option<c_long>,
}

static ORDERS: OnceLock<Orders> = OnceLock::new();
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Runs when the library is loaded, before `main`.
#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = begin;

extern "C" fn begin() {
    let said = |name: &str| env::var(name).unwrap_or_default();
    let at = said("FAULT_AT");
    let orders = Orders {
        reads: said("FAULT_CALLS") == "read",
        path: said("FAULT_PATH"),
        fault: said("FAULT_DO"),
        at: at.trim_end_matches('+').parse().unwrap_or(0),
        and_on: at.ends_with('+'),
        log: env::var("FAULT_LOG")
            .ok()
            .map(|path| on_path(2, &Text::of(&[&path]), [0o2101, 0o644])),
    };
    let _once = ORDERS.set(orders);
    filter();
}

#[repr(C)]
struct Action {
    handler: extern "C" fn(c_int, *mut c_void, *mut Thread),
    mask: [u64; 16],
    flags: c_int,
    restorer: usize,
}

/// The state of a thread that the kernel saves while it handles a signal.
#[repr(C)]
struct Thread {
    before: [u64; 5],
    registers: [c_long; 23],
}

#[repr(C)]
struct Step {
    code: u16,
    jump: u8,
    otherwise: u8,
    value: u32,
}

#[repr(C)]
struct Program {
    len: u16,
    steps: *const Step,
}

unsafe extern "C" {
    fn sigaction(signal: c_int, new: *const Action, old: *mut Action) -> c_int;
    fn prctl(option: c_int, ...) -> c_int;
}

/// Installs the filter, which raises a signal instead of each call.
fn filter() {
    const SIGSYS: c_int = 31;
    let step = |code, jump, value| Step { code, jump, otherwise: 0, value };
    let (load, is, end) = (0x20, 0x15, 0x06);
    let all = (CALLS.len() + REFUSED.len()) as u8;
    let mut steps = vec![step(load, 0, 56), step(is, all + 1, OURS), step(load, 0, 0)];
    let seen = CALLS.iter().map(|(call, ..)| (*call, 0));
    let calls = seen.chain(REFUSED.iter().map(|call| (*call, 1)));
    let left = (1..=all).rev();
    steps.extend(calls.zip(left).map(|((call, on), left)| step(is, left + on, call as u32)));
    let (allow, trap, unknown) = (0x7fff_0000, 0x0003_0000, 0x0005_0026);
    steps.extend([allow, trap, unknown].map(|what| step(end, 0, what)));
    let program = Program { len: steps.len() as u16, steps: steps.as_ptr() };
    let (with_info, nested) = (4, 0x4000_0000);
    let action = Action { handler: trapped, mask: [0; 16], flags: with_info | nested, restorer: 0 };
    let (yes, none): (c_long, c_long) = (1, 0);
    // Safety: the arguments have the documented layout, and outlive the calls.
    let done = unsafe {
        [
            sigaction(SIGSYS, &action, null_mut()),
            prctl(38, yes, none, none, none),
            prctl(22, 2 as c_long, from_ref(&program)),
        ]
    };
    assert_eq!(done, [0, 0, 0], "the kernel rejects the filter");
}

extern "C" fn trapped(_: c_int, _: *mut c_void, thread: *mut Thread) {
    // Safety: the kernel passes a valid pointer to the handler.
    let registers = unsafe { &mut (*thread).registers };
    let arguments = [8, 9, 12, 2, 0].map(|nth: usize| registers[nth]);
    registers[13] = answer(registers[13], arguments);
}

/// Makes a system call that passes the filter.
fn system(call: c_long, [a, b, c, d, e]: [c_long; 5]) -> c_long {
    let mut result = call;
    // Safety: as safe as the call that the program makes.
    unsafe {
        std::arch::asm!("syscall", inout("rax") result, in("rdi") a, in("rsi") b, in("rdx") c,
            in("r10") d, in("r8") e, in("r9") c_long::from(OURS), out("rcx") _, out("r11") _);
    }
    result
}

fn on_path(call: c_long, path: &Text, [b, c]: [c_long; 2]) -> c_long {
    system(call, [path.bytes.as_ptr() as c_long, b, c, 0, 0])
}

fn append(file: c_long, text: &Text) {
    system(1, [file, text.bytes.as_ptr() as c_long, text.len as c_long, 0, 0]);
}

/// A string on the stack that ends with NUL.
struct Text {
    bytes: [u8; 4200],
    len: usize,
}

impl Text {
    fn of(parts: &[&str]) -> Self {
        let mut text = Self { bytes: [0; 4200], len: 0 };
        for byte in parts.iter().flat_map(|part| part.bytes()).take(4199) {
            text.bytes[text.len] = byte;
            text.len += 1;
        }
        text
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.len]).unwrap_or("not UTF-8")
    }
}

/// Returns the result of an intercepted call.
fn answer(call: c_long, arguments: [c_long; 5]) -> c_long {
    let done = || system(call, arguments);
    let known = CALLS.iter().find(|(number, ..)| *number == call);
    let (Some(orders), Some(&(_, name, about))) = (ORDERS.get(), known) else { return done() };
    let path = match about {
        About::File => path_of(arguments[0]),
        // Safety: the program passes it to the kernel as a string that ends with NUL.
        About::Path(nth) => unsafe { CStr::from_ptr(arguments[nth] as *const c_char) }
            .to_str()
            .map_or(Text::of(&[]), |path| Text::of(&[path])),
    };
    if !is_counted(orders, name, about, &arguments) || !path.as_str().contains(&orders.path) {
        return done();
    }
    if let Some(log) = orders.log {
        append(log, &Text::of(&[name, " ", path.as_str(), "\n"]));
    }
    let nth = COUNT.fetch_add(1, SeqCst) + 1;
    if nth < orders.at || nth > orders.at && !orders.and_on {
        return done();
    }
    let bytes = READS.contains(&name) || WRITES.contains(&name);
    match orders.fault.as_str() {
        "enospc" if takes_room(name, &path) => return -28,
        "edquot" if takes_room(name, &path) => return -122,
        "eio" => return -5,
        // A retry succeeds.
        "eintr" if (nth - orders.at).is_multiple_of(2) => return -4,
        "short" => return half(call, name, arguments),
        "kill" => {
            if bytes {
                half(call, name, arguments);
            }
            let (process, sigkill) = (system(39, [0; 5]), 9);
            system(62, [process, sigkill, 0, 0, 0]);
        }
        "vanish" => _ = on_path(87, &path, [0, 0]),
        "grow" => append(on_path(2, &path, [0o2001, 0]), &Text::of(&["\n\nmore\n"])),
        "shrink" => _ = on_path(76, &path, [3, 0]),
        _ => {}
    }
    done()
}

fn is_counted(orders: &Orders, name: &str, about: About, arguments: &[c_long; 5]) -> bool {
    let opens = match name {
        "open" => Some(arguments[1]),
        "openat" => Some(arguments[2]),
        _ => None,
    };
    // Opened read-only, without creating a file.
    let reads = opens.map_or(READS.contains(&name), |flags| flags & 0o103 == 0);
    let bytes = READS.contains(&name) || WRITES.contains(&name);
    let may_be = match orders.fault.as_str() {
        "eintr" => bytes || INTERRUPTIBLE.contains(&name),
        "short" | "grow" | "shrink" => bytes,
        "vanish" => opens.is_some(),
        _ => true,
    };
    reads == orders.reads && may_be && (about != About::File || is_file(arguments[0]))
}

/// Returns whether a call can fail on a full disk: not if it removes a file or opens an existing one.
fn takes_room(name: &str, path: &Text) -> bool {
    let is_there = || on_path(21, path, [0, 0]) == 0;
    !REMOVALS.contains(&name) && !(name.starts_with("open") && is_there())
}

/// Reads or writes half of the bytes; of several buffers, half of the first.
fn half(call: c_long, name: &str, mut arguments: [c_long; 5]) -> c_long {
    let mut call = call;
    if name.ends_with('v') {
        // Safety: the program passes at least one buffer.
        [arguments[1], arguments[2]] = unsafe { *(arguments[1] as *const [c_long; 2]) };
        call = match name {
            "readv" => 0,
            "writev" => 1,
            "preadv" => 17,
            _ => 18,
        };
    }
    arguments[2] = (arguments[2] + 1) / 2;
    system(call, arguments)
}

/// Returns the path of an open file.
fn path_of(file: c_long) -> Text {
    let digits: [u8; 4] = [1000, 100, 10, 1].map(|unit| b'0' + (file / unit % 10) as u8);
    let number = std::str::from_utf8(&digits).unwrap_or_default().trim_start_matches('0');
    let link = Text::of(&["/proc/self/fd/", if number.is_empty() { "0" } else { number }]);
    let mut path = Text::of(&[]);
    let len = on_path(89, &link, [path.bytes.as_mut_ptr() as c_long, 4199]);
    path.len = usize::try_from(len).unwrap_or(0);
    path
}

/// Returns whether a descriptor is a regular file, and not a standard stream.
fn is_file(file: c_long) -> bool {
    let mut found = [0_u32; 64];
    let asked = system(5, [file, found.as_mut_ptr() as c_long, 0, 0, 0]);
    file > 2 && asked == 0 && found[6] & 0o170_000 == 0o100_000
}
