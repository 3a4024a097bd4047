package org.weft.metadata.volume.operation.grant;

import com.google.protobuf.MessageLite;
import java.time.Instant;
import java.util.List;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.GrantEnd;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.RecoverLeaseReply;

/**
 * Takes a file from its writers, the caller itself included (P 6.5). It is for a client that takes
 * over the work of a client that is gone and cannot wait for its lease. The file is resolved as if
 * the lease had ended. The answer says whether the resolve is finished.
 */
public record RecoverLease(NodePath path) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Attributes file = on.walk().node(path);
    if (file.isDirectory()) {
      throw new WeftException(ErrorCode.IS_DIRECTORY, path + " is a directory");
    }
    requireMay(file, on.credentials());
    List<WriteGrant> grants = on.grants().of(file.object());
    new GrantEnd(on).revoke(grants, takenBy(on));
    // The end of a grant may be in a record that changed nothing else of the file.
    on.view().sawAll();
    RecoverLeaseReply.Builder reply = RecoverLeaseReply.newBuilder().setClosed(grants.isEmpty());
    if (on.lengths().isKnown(file.object())) {
      reply.setAttributes(AttributesCodec.toShortMessage(file));
    }
    return reply.build();
  }

  private String takenBy(Execution on) {
    return "%s was taken from its writer at %s by %s, which asked for that (recoverLease)"
        .formatted(path, Instant.ofEpochMilli(on.nowMillis()), on.session().clientName());
  }

  private void requireMay(Attributes file, Credentials credentials) throws WeftException {
    boolean owns = credentials.superuser() || credentials.user().equals(file.owner());
    if (!owns && !Permissions.allows(file, credentials, Permissions.WRITE)) {
      throw new WeftException(
          ErrorCode.PERMISSION_DENIED,
          "user "
              + credentials.user()
              + " may not end the writing of "
              + path
              + ": that takes its owner "
              + file.owner()
              + ", the permission to write it, or a superuser");
    }
  }
}
