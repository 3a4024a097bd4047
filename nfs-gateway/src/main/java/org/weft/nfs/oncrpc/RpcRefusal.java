package org.weft.nfs.oncrpc;

/** Replies that carry no result: reply_body but for SUCCESS, RFC 5531 section 9. */
sealed interface RpcRefusal
    permits RpcRefusal.VersionMismatch,
        RpcRefusal.AuthError,
        RpcRefusal.ProgramUnavailable,
        RpcRefusal.ProgramMismatch,
        RpcRefusal.ProcedureUnavailable,
        RpcRefusal.GarbageArguments,
        RpcRefusal.SystemError {
  /** MSG_DENIED, RPC_MISMATCH: the message is of another version of RPC than 2. */
  record VersionMismatch() implements RpcRefusal {}

  /** MSG_DENIED, AUTH_ERROR. */
  record AuthError(AuthStatus why) implements RpcRefusal {}

  /** PROG_UNAVAIL. */
  record ProgramUnavailable() implements RpcRefusal {}

  /** PROG_MISMATCH, with the versions that there are. */
  record ProgramMismatch(int lowest, int highest) implements RpcRefusal {}

  /** PROC_UNAVAIL. */
  record ProcedureUnavailable() implements RpcRefusal {}

  /** GARBAGE_ARGS. */
  record GarbageArguments() implements RpcRefusal {}

  /** SYSTEM_ERR: the program failed in a way that it should not. */
  record SystemError() implements RpcRefusal {}
}
