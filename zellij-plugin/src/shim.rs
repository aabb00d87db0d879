//! Calls to zellij, through its own library.

use std::collections::BTreeMap;

use zellij_tile::prelude::{
    EventType, PermissionType, change_host_folder, copy_to_clipboard,
    get_session_environment_variables, hide_self, request_permission,
    run_command_with_env_variables_and_cwd, set_timeout, subscribe,
};

use crate::host::{Call, Heard};

/// Names the request in the context of a command.
pub(crate) const REQUEST: &str = "muxinbox";

/// All that is used, and nothing else.
const PERMISSIONS: &[PermissionType] = &[
    PermissionType::ReadApplicationState,
    PermissionType::ChangeApplicationState,
    PermissionType::RunCommands,
    PermissionType::FullHdAccess,
    PermissionType::ReadSessionEnvironmentVariables,
    PermissionType::WriteToClipboard,
];

/// Events that need no permission.
const FIRST: &[EventType] = &[
    EventType::Key,
    EventType::Mouse,
    EventType::PastedText,
    EventType::Timer,
    EventType::Visible,
    EventType::PermissionRequestResult,
    EventType::RunCommandResult,
    EventType::HostFolderChanged,
    EventType::FailedToChangeHostFolder,
];

/// Carries one call out; some are answered at once.
pub(crate) fn perform(call: Call) -> Option<Heard> {
    match call {
        Call::SubscribeFirst => subscribe(FIRST),
        Call::Subscribe => {}
        Call::RequestPermissions => request_permission(PERMISSIONS),
        Call::Environment => return Some(Heard::Environment(get_session_environment_variables())),
        Call::OpenMachine => change_host_folder("/".into()),
        Call::SetTimeout(seconds) => set_timeout(seconds),
        Call::Run { id, argv, env, cwd } => {
            let argv: Vec<&str> = argv.iter().map(String::as_str).collect();
            let context = BTreeMap::from([(REQUEST.to_owned(), id.to_string())]);
            let env = env.into_iter().collect();
            run_command_with_env_variables_and_cwd(&argv, env, cwd, context);
        }
        Call::Copy(text) => copy_to_clipboard(text),
        Call::HideSelf => hide_self(),
    }
    None
}
