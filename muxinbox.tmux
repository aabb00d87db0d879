#!/bin/sh
# muxinbox.tmux: binds the keys of muxinbox. TPM runs this file; without TPM, run it from tmux.conf:
#   run-shell /path/to/muxinbox/muxinbox.tmux
# It is plain sh, changes nothing but the keys below, and ends well whatever happens, since tmux
# would print anything else over what you are doing.
#
#   @muxinbox-key          prefix key of the inbox (b; "none": no key)
#   @muxinbox-next-key     prefix key that goes to the session that has waited longest (B)
#   @muxinbox-sidebar-key  prefix key that opens and closes the sidebar (none)
#   @muxinbox-width        of the inbox, in columns or percent (80%)
#   @muxinbox-height       of the inbox, in lines or percent (75%)
#   @muxinbox-as           auto, float, popup or window (auto: the first that this tmux has)
#   @muxinbox-bin          the program, when it is neither on PATH nor in this folder

trap 'exit 0' EXIT HUP INT TERM
here=$(CDPATH='' cd -- "$(dirname -- "$0")" 2>/dev/null && pwd)

option() { # option NAME DEFAULT
  value=$(tmux show-options -gqv "$1" 2>/dev/null)
  if [ -n "$value" ]; then printf '%s' "$value"; else printf '%s' "$2"; fi
}

# What is told on every terminal, since while tmux starts there is none to tell it on.
tell() {
  text=$(printf '%s' "muxinbox: $1" | sed 's/#/##/g; s/%/%%/g')
  tmux list-clients -F '#{client_name}' 2>/dev/null | while IFS= read -r client; do
    # Before 3.2 a line stays as long as the option display-time says.
    tmux display-message -d 5000 -c "$client" "$text" 2>/dev/null ||
      tmux display-message -c "$client" "$text" 2>/dev/null
  done
}

find_program() {
  bin=$(option @muxinbox-bin '')
  case $bin in
    '~/'*) bin=$HOME/${bin#??} ;;
  esac
  if [ -n "$bin" ]; then
    [ -f "$bin" ] && [ -x "$bin" ] && printf '%s' "$bin"
    return
  fi
  # tmux may have been started without the folders that a login shell adds.
  (
    PATH=$PATH:$HOME/.cargo/bin:$HOME/.local/bin:/opt/homebrew/bin:/usr/local/bin
    command -v muxinbox
  ) 2>/dev/null && return
  for bin in "$here/bin/muxinbox" "$here/target/release/muxinbox" "$here/muxinbox"; do
    if [ -f "$bin" ] && [ -x "$bin" ]; then
      printf '%s' "$bin"
      return
    fi
  done
}

size() { # size NAME DEFAULT
  value=$(option "$1" "$2")
  number=${value%\%}
  case $number in
    '' | *[!0-9]* | 0* | ?????*)
      tell "$1 is no size, such as 80% or 100; $2 is used"
      value=$2
      ;;
  esac
  printf '%s' "$value"
}

quoted() { # in single quotes for sh, and with its # as they are for tmux
  printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g; s/#/##/g")"
}

bind_key() { # bind OPTION DEFAULT COMMAND...
  key=$(option "$1" "$2")
  name=$1
  [ "$key" = none ] && return
  shift 2
  # A key that somebody else has bound is theirs, unless it is asked for by name.
  bound=$(tmux list-keys -T prefix 2>/dev/null | awk -v key="$key" '
    { for (i = 1; i < NF; i++) if ($i == "prefix") break; if ($(i + 1) == key) print }')
  case $bound in
    '' | *muxinbox*) ;;
    *)
      if [ -z "$(option "$name" '')" ]; then
        tell "prefix $key is bound already: set $name to another key"
        return
      fi
      ;;
  esac
  tmux bind-key "$key" "$@" 2>/dev/null || tell "$name: tmux knows no key $key"
}

run() { # run OPTION DEFAULT WORDS: binds a key to the program with these words
  bind_key "$1" "$2" run-shell -b "$program $3 --client '#{client_name}' >/dev/null 2>&1 || :"
}

found=$(find_program)
if [ -z "$found" ]; then
  missing='the program muxinbox was not found: put it on PATH, or set @muxinbox-bin'
  tell "$missing"
  bind_key @muxinbox-key b display-message "muxinbox: $missing"
  exit 0
fi
program=$(quoted "$found")
case $(option @muxinbox-as auto) in
  auto) as=auto ;;
  float) as=float ;;
  popup) as=popup ;;
  window) as=window ;;
  *)
    as=auto
    tell '@muxinbox-as is auto, float, popup or window; auto is used'
    ;;
esac
width=$(size @muxinbox-width 80%)
height=$(size @muxinbox-height 75%)
run @muxinbox-key b "popup --as $as --width $width --height $height"
run @muxinbox-next-key B 'next --go'
run @muxinbox-sidebar-key none sidebar
exit 0
