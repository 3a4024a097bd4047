
# Paths of the cluster, beside what stands above. Asks the cluster for at most two seconds.
_weft_takes_remote_path() {
  case "${COMP_WORDS[1]}" in
    fs)
      [ "$COMP_CWORD" -ge 3 ] || return 1
      case "${COMP_WORDS[2]}" in
        # The first words of these are files of this machine.
        put | append) [ "$COMP_CWORD" -ge 4 ] ;;
        df | help) return 1 ;;
      esac ;;
    layout) [ "$COMP_CWORD" -ge 3 ] ;;
    *) return 1 ;;
  esac
}

_weft_with_paths() {
  local current="${COMP_WORDS[COMP_CWORD]}" cluster=() index
  case "$current" in
    /*) ;;
    *) _complete_weft; return ;;
  esac
  _weft_takes_remote_path || { _complete_weft; return; }
  for ((index = 1; index + 1 < COMP_CWORD; index++)); do
    [ "${COMP_WORDS[index]}" != --cluster ] || cluster=(--cluster "${COMP_WORDS[index + 1]}")
  done
  local IFS=$'\n'
  COMPREPLY=($("${COMP_WORDS[0]}" fs ls -d -C -p --timeout 2 "${cluster[@]}" "$current*" 2> /dev/null))
  [ "${#COMPREPLY[@]}" -ne 1 ] || case "${COMPREPLY[0]}" in
    */) compopt -o nospace 2> /dev/null ;;
  esac
  return 0
}

complete -F _weft_with_paths -o default weft ./weft
