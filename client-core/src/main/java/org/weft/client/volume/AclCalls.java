package org.weft.client.volume;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.GetAttributesOfRequest;
import org.weft.protocol.wire.SetAclRequest;

/**
 * Access control lists of a volume's nodes. Thread-safe; futures complete as those of {@link
 * VolumeCalls}.
 */
public final class AclCalls {
  private final VolumeSession session;

  AclCalls(VolumeSession session) {
    this.session = session;
  }

  /** Attributes with the lists. */
  public CompletableFuture<FileAttributes> acl(String path) {
    return ask(path, GetAttributesOfRequest.newBuilder().setWithAcl(true));
  }

  /** PERMISSION_DENIED unless all of the rights are had. */
  public CompletableFuture<Void> require(String path, int rights) {
    return ask(path, GetAttributesOfRequest.newBuilder().setRequiredRights(rights))
        .thenApply(attributes -> null);
  }

  private CompletableFuture<FileAttributes> ask(
      String path, GetAttributesOfRequest.Builder question) {
    return new ReadCalls(session).ask(path, question).thenApply(AttributesReply::getAttributes);
  }

  /** Changes the lists. */
  public CompletableFuture<Void> change(String path, AclChange change, List<AclEntry> entries) {
    return session
        .call(
            VolumeRequest.once(
                    Opcode.SET_ACL,
                    path,
                    context ->
                        SetAclRequest.newBuilder()
                            .setContext(context)
                            .setNode(session.mount().node(path))
                            .setChange(change.toMessage())
                            .addAllEntry(entries.stream().map(AclEntry::toMessage).toList())
                            .build(),
                    Empty.parser())
                .changing(path))
        .thenApply(answer -> null);
  }
}
