//! Calls to zellij, through its own library.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use muxinbox_core::Placement;
use zellij_tile::prelude::actions::Action;
use zellij_tile::prelude::{
    CommandToRun, Direction, EventType, PaneId, PermissionType, change_host_folder,
    close_pane_with_id, close_tab_with_id, copy_to_clipboard, focus_pane_with_id, get_pane_pid,
    get_plugin_ids, get_session_environment_variables, get_session_list, hide_self,
    open_command_pane_in_new_tab, rename_pane_with_id, rename_tab_with_id, request_permission,
    run_action, run_command_with_env_variables_and_cwd, set_pane_color, set_selectable,
    set_timeout, stack_panes, subscribe, switch_session_with_focus,
};
use zellij_utils::input::command::RunCommandAction;

use crate::host::{Call, Heard, Pane};

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
    PermissionType::RunActionsAsUser,
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
    EventType::HostTerminalThemeChanged,
];

/// Those that zellij refuses before the grant, noting each refusal in its log.
const THEN: &[EventType] = &[
    EventType::PaneUpdate,
    EventType::TabUpdate,
    // Colours come with it. Who takes keys once gets them with no later one.
    EventType::InitialKeybinds,
    EventType::ModeUpdate,
    EventType::CommandPaneOpened,
    EventType::CommandPaneExited,
    EventType::PaneClosed,
];

/// A folder as zellij must be told it. It takes some paths, such as `/tmp`, for folders of the
/// plugin's own, but what is beneath `/host` for a folder of the machine.
fn through_host(path: &Path) -> PathBuf {
    Path::new("/host").join(path.strip_prefix("/").unwrap_or(path))
}

/// Carries one call out; some are answered at once.
pub(crate) fn perform(call: Call) -> Option<Heard> {
    match call {
        Call::SubscribeFirst => subscribe(FIRST),
        Call::Subscribe => subscribe(THEN),
        Call::Identity => {
            let ids = get_plugin_ids();
            return Some(Heard::Identity { own: ids.plugin_id, server: ids.zellij_pid });
        }
        Call::RequestPermissions => request_permission(PERMISSIONS),
        Call::Environment => return Some(Heard::Environment(get_session_environment_variables())),
        Call::OpenMachine => change_host_folder("/".into()),
        Call::SetTimeout(seconds) => set_timeout(seconds),
        Call::Run { id, argv, env, cwd } => {
            let argv: Vec<&str> = argv.iter().map(String::as_str).collect();
            let context = BTreeMap::from([(REQUEST.to_owned(), id.to_string())]);
            let env = env.into_iter().collect();
            run_command_with_env_variables_and_cwd(&argv, env, through_host(&cwd), context);
        }
        Call::Copy(text) => copy_to_clipboard(text),
        Call::HideSelf => hide_self(),
        Call::Selectable(is_selectable) => set_selectable(is_selectable),
        Call::Open { id, argv, cwd, name, placement, instead_of } => {
            open(id, argv, cwd, name, (placement, instead_of));
        }
        Call::Pids(panes) => {
            let pid = |pane| u32::try_from(get_pane_pid(theirs(pane)).ok()?).ok();
            let pids = panes.into_iter().filter_map(|pane| Some((pane, pid(pane)?)));
            return Some(Heard::Pids(pids.collect()));
        }
        Call::Pile(panes) => stack_panes(panes.into_iter().map(theirs).collect()),
        Call::Rename(pane, name) => rename_pane_with_id(theirs(pane), name),
        Call::Focus(pane) => focus_pane_with_id(theirs(pane), true, false),
        Call::Close(pane) => close_pane_with_id(theirs(pane)),
        Call::CloseTab(tab) => close_tab_with_id(tab),
        Call::RenameTab(tab, name) => rename_tab_with_id(tab, name),
        Call::Sessions => {
            let live = get_session_list().map(|list| list.live_sessions).unwrap_or_default();
            let others = live.into_iter().filter(|session| !session.is_current_session);
            return Some(Heard::Sessions(others.map(|session| session.name).collect()));
        }
        Call::Tint(pane, colour) => set_pane_color(theirs(pane), None, colour),
        Call::SwitchSession { name, pane } => {
            switch_session_with_focus(&name, None, Some((pane, false)));
        }
    }
    None
}

/// Opens a pane by the action that a key of zellij would run: only those know directions.
fn open(
    id: u64,
    argv: Vec<String>,
    cwd: PathBuf,
    name: String,
    (placement, instead_of): (Placement, Option<Pane>),
) {
    let context = BTreeMap::from([(REQUEST.to_owned(), id.to_string())]);
    let mut words = argv.into_iter();
    let path: PathBuf = words.next().unwrap_or_default().into();
    let args: Vec<String> = words.collect();
    if placement == Placement::Tab {
        let command = CommandToRun { path, args, cwd: Some(through_host(&cwd)) };
        open_command_pane_in_new_tab(command, context);
        return;
    }
    let command = Some(RunCommandAction {
        command: path,
        args,
        cwd: Some(cwd),
        hold_on_close: true,
        ..RunCommandAction::default()
    });
    let pane_name = Some(name);
    let (near_current_pane, no_focus, tab_id) = (false, false, None);
    let tiled = |direction, command, pane_name| Action::NewTiledPane {
        direction,
        command,
        pane_name,
        near_current_pane,
        no_focus,
        borderless: None,
        tab_id,
    };
    let action = match placement {
        Placement::SplitDown | Placement::Stacked => {
            tiled(Some(Direction::Down), command, pane_name)
        }
        Placement::SplitRight | Placement::Tab => tiled(Some(Direction::Right), command, pane_name),
        Placement::Floating => Action::NewFloatingPane {
            command,
            pane_name,
            coordinates: None,
            near_current_pane,
            no_focus,
            tab_id,
        },
        Placement::InPlace => Action::NewInPlacePane {
            command,
            pane_name,
            near_current_pane,
            no_focus,
            pane_id_to_replace: instead_of.map(theirs),
            close_replaced_pane: false,
            tab_id,
        },
    };
    run_action(action, context);
}

const fn theirs(pane: Pane) -> PaneId {
    match pane {
        Pane::Terminal(id) => PaneId::Terminal(id),
        Pane::Plugin(id) => PaneId::Plugin(id),
    }
}
