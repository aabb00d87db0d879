//! A host in miniature: the plugin, as WebAssembly or natively, over files in a temporary folder.

use std::collections::{BTreeMap, VecDeque};
use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use muxinbox_core::Millis;
use muxinbox_zellij::{Call, Heard, Plugin, Roots};
use wasmi::{Caller, Config, Engine, Extern, Instance, Linker, Module, Store};
use wasmi_wasi::sync::WasiCtxBuilder;
use wasmi_wasi::wasi_common::pipe::{ReadPipe, WritePipe};
use wasmi_wasi::{Dir, WasiCtx};

use crate::wire::{self, Message, Value};

/// What the plugin asked zellij for, in the words that both ways of running it share.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Order {
    Permissions,
    Machine,
    Timeout(f64),
    Run { id: u64, argv: Vec<String> },
    Other(String),
}

/// The plugin, however it runs.
pub(crate) trait Loaded {
    fn load(&mut self) -> Vec<Order>;
    /// Whether it is to be drawn, and what it asked for.
    fn hear(&mut self, now: Millis, heard: &Heard) -> (bool, Vec<Order>);
    fn draw(&mut self, now: Millis, rows: usize, columns: usize) -> (String, Vec<Order>);
}

/// The variables of the session.
pub(crate) fn environment() -> BTreeMap<String, String> {
    [("HOME", "/home/dev"), ("LANG", "C.UTF-8"), ("PATH", "/usr/bin")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
}

/// The number of the plugin's own pane.
pub(crate) const OWN: u32 = 7;

/// The plugin natively.
pub(crate) struct Native(Plugin);

impl Native {
    pub(crate) fn new(root: &Path) -> Self {
        let roots = Roots { machine: root.to_owned(), cache: root.join("cache"), home: None };
        Self(Plugin::new(roots))
    }

    fn answer(&mut self, now: Millis, calls: Vec<Call>) -> Vec<Order> {
        let mut orders = Vec::new();
        let mut queue = VecDeque::from(calls);
        while let Some(call) = queue.pop_front() {
            let answer = match call {
                Call::Identity => Some(Heard::Identity { own: OWN, server: 1 }),
                Call::Environment => Some(Heard::Environment(environment())),
                Call::Pids(_) => Some(Heard::Pids(Vec::new())),
                Call::Sessions => Some(Heard::Sessions(Vec::new())),
                Call::RequestPermissions => {
                    orders.push(Order::Permissions);
                    None
                }
                Call::OpenMachine => {
                    orders.push(Order::Machine);
                    None
                }
                Call::SetTimeout(seconds) => {
                    orders.push(Order::Timeout(seconds));
                    None
                }
                Call::Run { id, argv, .. } => {
                    orders.push(Order::Run { id, argv });
                    None
                }
                Call::SubscribeFirst | Call::Subscribe => None,
                other => {
                    orders.push(Order::Other(name(&other).to_owned()));
                    None
                }
            };
            if let Some(answer) = answer {
                queue.extend(self.0.hear(now, answer));
            }
        }
        orders
    }
}

const fn name(call: &Call) -> &'static str {
    match call {
        Call::Copy(_) => "copy",
        Call::HideSelf => "hide",
        Call::Selectable(_) => "selectable",
        Call::Open { .. } => "open",
        Call::Rename(..) => "rename",
        Call::Focus(_) => "focus",
        Call::Close(_) => "close",
        Call::CloseTab(_) => "close tab",
        Call::Tint(..) => "tint",
        Call::Pile(_) => "pile",
        Call::RenameTab(..) => "rename tab",
        Call::SwitchSession { .. } => "switch session",
        _ => "",
    }
}

impl Loaded for Native {
    fn load(&mut self) -> Vec<Order> {
        let calls = self.0.load(&BTreeMap::new());
        self.answer(Millis(0), calls)
    }

    fn hear(&mut self, now: Millis, heard: &Heard) -> (bool, Vec<Order>) {
        let calls = self.0.hear(now, heard.clone());
        let orders = self.answer(now, calls);
        (self.0.is_dirty(), orders)
    }

    fn draw(&mut self, now: Millis, rows: usize, columns: usize) -> (String, Vec<Order>) {
        let (frame, calls) = self.0.draw(now, rows, columns);
        let orders = self.answer(now, calls);
        (frame, orders)
    }
}

/// What the WebAssembly reaches.
struct World {
    wasi: WasiCtx,
    stdin: Arc<Mutex<VecDeque<u8>>>,
    stdout: Arc<Mutex<Vec<u8>>>,
    now: Millis,
    orders: Vec<Order>,
}

struct Input(Arc<Mutex<VecDeque<u8>>>);

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().read(buffer)
    }
}

struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The plugin as zellij runs it.
pub(crate) struct Wasm {
    store: Store<World>,
    instance: Instance,
}

impl Wasm {
    /// Absent, and told, where the plugin cannot be built; in CI that is a failure.
    pub(crate) fn new(root: &Path) -> Option<Self> {
        Self::on(&Config::default(), root)
    }

    /// The same, counting what it does: see [`spent`](Self::spent).
    pub(crate) fn metered(root: &Path) -> Option<Self> {
        Self::on(Config::default().consume_fuel(true), root)
    }

    fn on(config: &Config, root: &Path) -> Option<Self> {
        let bytes = std::fs::read(crate::wasm::built()?).unwrap();
        let engine = Engine::new(config);
        let module = Module::new(&engine, bytes).unwrap();
        let (stdin, stdout) = (Arc::default(), Arc::default());
        let mut builder = WasiCtxBuilder::new();
        for (guest, path) in [("/host", root.to_owned()), ("/cache", root.join("cache"))] {
            std::fs::create_dir_all(&path).unwrap();
            let folder = Dir::from_std_file(std::fs::File::open(path).unwrap());
            builder.preopened_dir(folder, guest).unwrap();
        }
        let wasi = builder.build();
        wasi.set_stdin(Box::new(ReadPipe::new(Input(Arc::clone(&stdin)))));
        wasi.set_stdout(Box::new(WritePipe::new(Output(Arc::clone(&stdout)))));
        let world = World { wasi, stdin, stdout, now: Millis(0), orders: Vec::new() };
        let mut store = Store::new(&engine, world);
        let mut linker = Linker::new(&engine);
        linker.allow_shadowing(true);
        wasmi_wasi::add_to_linker(&mut linker, |world: &mut World| &mut world.wasi).unwrap();
        linker.func_wrap("wasi_snapshot_preview1", "clock_time_get", clock).unwrap();
        linker.func_wrap("zellij", "host_run_plugin_command", command).unwrap();
        // An engine that counts does not even start without fuel; another has none to set.
        let _ = store.set_fuel(u64::MAX);
        let instance = linker.instantiate_and_start(&mut store, &module).unwrap();
        let mut wasm = Self { store, instance };
        wasm.call::<(), ()>("_start", ());
        Some(wasm)
    }

    fn call<P: wasmi::WasmParams, R: wasmi::WasmResults>(&mut self, name: &str, args: P) -> R {
        let function = self.instance.get_typed_func::<P, R>(&self.store, name).unwrap();
        function.call(&mut self.store, args).unwrap()
    }

    fn write(&self, bytes: &[u8]) {
        write(&self.store.data().stdin, bytes);
    }

    fn orders(&mut self) -> Vec<Order> {
        std::mem::take(&mut self.store.data_mut().orders)
    }

    /// Bytes of memory that it has taken; they are never given back.
    pub(crate) fn memory(&self) -> usize {
        let memory = self.instance.get_memory(&self.store, "memory").unwrap();
        memory.data_size(&self.store)
    }

    /// What it has done since it was loaded, in the interpreter's units: an instruction each, and
    /// one for every 64 bytes that are copied. The same on every machine.
    pub(crate) fn spent(&self) -> u64 {
        u64::MAX - self.store.get_fuel().unwrap()
    }

    /// A message through a pipe, from the command line.
    pub(crate) fn pipe(&mut self, now: Millis, id: &str, words: &str) -> Vec<Order> {
        let message = Message::default().bytes(2, id.as_bytes()).bytes(4, b"muxinbox");
        self.store.data_mut().now = now;
        self.write(&message.bytes(5, words.as_bytes()).0);
        let _: i32 = self.call("pipe", ());
        self.orders()
    }
}

/// Zellij hands bytes over as a JSON array of numbers on one line.
fn write(stdin: &Mutex<VecDeque<u8>>, bytes: &[u8]) {
    let numbers: Vec<String> = bytes.iter().map(u8::to_string).collect();
    stdin.lock().unwrap().extend(format!("[{}]\r\n", numbers.join(",")).into_bytes());
}

fn clock(mut caller: Caller<'_, World>, _: i32, _: i64, at: i32) -> i32 {
    let now = caller.data().now.0 * 1_000_000;
    let memory = caller.get_export("memory").and_then(Extern::into_memory).unwrap();
    memory.write(&mut caller, usize::try_from(at).unwrap(), &now.to_le_bytes()).unwrap();
    0
}

fn command(mut caller: Caller<'_, World>) {
    let world = caller.data_mut();
    let json = std::mem::take(&mut *world.stdout.lock().unwrap());
    let bytes: Vec<u8> = serde_json::from_slice(&json).unwrap();
    let fields = wire::fields(&bytes);
    let payload = || {
        let payload = fields.iter().find_map(|(field, value)| match value {
            Value::Bytes(bytes) if *field > 1 => Some(wire::fields(bytes)),
            _ => None,
        });
        payload.unwrap_or_default()
    };
    let name = fields.iter().find(|(field, _)| *field == 1);
    let name = match name {
        Some((_, Value::Number(name))) => *name,
        _ => 0,
    };
    let order = match name {
        // Subscribe, GetPluginIds, GetSessionEnvironmentVariables, GetPanePid.
        0 => return,
        3 => {
            let own = u64::from(OWN);
            let ids = Message::default().number(1, own).number(2, 1).bytes(3, b"/").number(4, 1);
            return write(&world.stdin, &ids.0);
        }
        197 => {
            let environment = environment();
            let answer = environment
                .iter()
                .fold(Message::default(), |answer, (name, value)| answer.pair(1, name, value));
            return write(&world.stdin, &answer.0);
        }
        173 => return write(&world.stdin, &Message::default().bytes(2, b"no").0),
        65 => panic!("the plugin panicked: {}", String::from_utf8_lossy(&bytes)),
        66 => Order::Permissions,
        114 => Order::Machine,
        12 => match payload().first() {
            Some((_, Value::Double(seconds))) => Order::Timeout(*seconds),
            other => panic!("{other:?}"),
        },
        71 => run(&payload()),
        2 => Order::Other("selectable".into()),
        16 => Order::Other("hide".into()),
        62 | 63 => Order::Other("rename".into()),
        60 | 61 => Order::Other("focus".into()),
        164 | 198 => Order::Other("open".into()),
        170 => Order::Other("copy".into()),
        other => Order::Other(format!("command {other}")),
    };
    world.orders.push(order);
}

fn run(payload: &[(u64, Value)]) -> Order {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let mut argv = Vec::new();
    let mut id = 0;
    for (field, value) in payload {
        match (field, value) {
            (1, Value::Bytes(word)) => argv.push(text(word)),
            (4, Value::Bytes(pair)) => {
                let Some((_, Value::Bytes(value))) = wire::fields(pair).pop() else { panic!() };
                id = text(&value).parse().unwrap();
            }
            _ => {}
        }
    }
    Order::Run { id, argv }
}

impl Loaded for Wasm {
    fn load(&mut self) -> Vec<Order> {
        self.write(&[]);
        self.call::<(), ()>("load", ());
        self.orders()
    }

    fn hear(&mut self, now: Millis, heard: &Heard) -> (bool, Vec<Order>) {
        self.store.data_mut().now = now;
        self.write(&wire::event(heard));
        let draws: i32 = self.call("update", ());
        (draws == 1, self.orders())
    }

    fn draw(&mut self, now: Millis, rows: usize, columns: usize) -> (String, Vec<Order>) {
        self.store.data_mut().now = now;
        let size = (i32::try_from(rows).unwrap(), i32::try_from(columns).unwrap());
        self.call::<(i32, i32), ()>("render", size);
        let frame = std::mem::take(&mut *self.store.data().stdout.lock().unwrap());
        (String::from_utf8(frame).unwrap(), self.orders())
    }
}
