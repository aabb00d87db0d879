//! Notices that a process ended of which a registry file tells: one that was killed changes no
//! file. Waiting costs nothing, where the system hands out descriptors of processes; elsewhere an
//! end shows with the next list.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::event::{PollFd, PollFlags};

/// So many processes are waited for at most: each is a descriptor.
const MOST: usize = 200;

/// Waits for as long as it lives.
pub(crate) struct Endings {
    wanted: Arc<Mutex<BTreeSet<u32>>>,
    /// Ends the wait when something is written, or when it goes.
    mouth: UnixStream,
}

impl Endings {
    /// Calls `tell` each time that processes have ended which are waited for.
    pub(crate) fn start(tell: impl Fn() + Send + 'static) -> io::Result<Self> {
        let (ear, mouth) = UnixStream::pair()?;
        ear.set_nonblocking(true)?;
        mouth.set_nonblocking(true)?;
        let wanted: Arc<Mutex<BTreeSet<u32>>> = Arc::default();
        let known = Arc::clone(&wanted);
        let name = "endings".to_owned();
        std::thread::Builder::new().name(name).spawn(move || listen(&ear, &known, &tell))?;
        Ok(Self { wanted, mouth })
    }

    /// Waits for these processes from here on, and for no others.
    pub(crate) fn want(&self, pids: BTreeSet<u32>) {
        let mut wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
        if *wanted != pids {
            *wanted = pids;
            // A full pipe ends the wait as well.
            let _ = (&self.mouth).write(&[0]);
        }
    }
}

fn listen(mut ear: &UnixStream, wanted: &Mutex<BTreeSet<u32>>, tell: &impl Fn()) {
    let mut waiting: BTreeMap<u32, OwnedFd> = BTreeMap::new();
    // One that has ended may be there as a zombie for long, and is told of once.
    let mut ended: BTreeSet<u32> = BTreeSet::new();
    loop {
        let pids = wanted.lock().unwrap_or_else(PoisonError::into_inner).clone();
        waiting.retain(|pid, _| pids.contains(pid));
        ended.retain(|pid| pids.contains(pid));
        for pid in pids {
            if waiting.len() < MOST && !waiting.contains_key(&pid) && !ended.contains(&pid) {
                waiting.extend(open(pid).map(|process| (pid, process)));
            }
        }
        let mut fds: Vec<PollFd<'_>> = vec![PollFd::from_borrowed_fd(ear.as_fd(), PollFlags::IN)];
        let processes = waiting.values().map(AsFd::as_fd);
        fds.extend(processes.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        if rustix::event::poll(&mut fds, None).is_err_and(|error| error != rustix::io::Errno::INTR)
        {
            return;
        }
        let has_ended = fds.iter().skip(1).map(|fd| !fd.revents().is_empty());
        let over: Vec<u32> =
            waiting.keys().zip(has_ended).filter(|(_, it)| *it).map(|(pid, _)| *pid).collect();
        let mut heard = [0; 64];
        if matches!(ear.read(&mut heard), Ok(0)) {
            return;
        }
        for pid in &over {
            waiting.remove(pid);
        }
        if !over.is_empty() {
            ended.extend(over);
            tell();
        }
    }
}

#[cfg(target_os = "linux")]
fn open(pid: u32) -> Option<OwnedFd> {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)?;
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn open(_: u32) -> Option<OwnedFd> {
    None
}
