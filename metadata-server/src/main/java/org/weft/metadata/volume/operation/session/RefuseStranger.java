package org.weft.metadata.volume.operation.session;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import java.util.function.Predicate;
import org.weft.metadata.session.Session;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.capability.SessionSecret;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.SessionId;

/**
 * What becomes of a request that names a session and is not signed with its secret, whatever it
 * asks for (P 6.5). It touches nothing of the session: not its lease, nor its reply slots. Decided
 * on the volume's thread, since only a manager that serves may say that a session has ended.
 *
 * @param signedWith whether the request was signed with a secret
 */
public record RefuseStranger(SessionId session, Predicate<byte[]> signedWith) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws WeftException {
    Session named = on.sessions().require(session);
    Optional<SessionSecret> secret = named.secret();
    if (secret.isEmpty()) {
      throw new WeftException(
          ErrorCode.SESSION_EXPIRED,
          "session "
              + session
              + " was opened with an earlier release, which did not sign requests; open a new one");
    }
    if (signedWith.test(secret.get().bytes())) {
      throw new WeftException(
          ErrorCode.NOT_SERVING,
          "the request came before its session was known here again; send it again");
    }
    throw new WeftException(
        ErrorCode.UNAUTHENTICATED,
        "this connection does not hold session "
            + session
            + ": the request is not signed with the session's secret; open a session of its own");
  }
}
