package org.weft.client.volume;

import com.google.protobuf.UnsafeByteOperations;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.GetAttributesOfRequest;
import org.weft.protocol.wire.LayoutMessage;
import org.weft.protocol.wire.LinkRequest;
import org.weft.protocol.wire.SetLayoutRequest;
import org.weft.protocol.wire.SetXattrRequest;
import org.weft.protocol.wire.SymlinkRequest;
import org.weft.protocol.wire.XattrMode;

/**
 * Links, extended attributes and layouts of a volume's nodes. Thread-safe; futures complete as
 * those of {@link VolumeCalls}.
 */
public final class NodeCalls {
  private final VolumeSession session;
  private final ReadCalls reads;

  public NodeCalls(VolumeSession session) {
    this.session = session;
    this.reads = new ReadCalls(session);
  }

  /**
   * Attributes, and whether a client writes the file.
   *
   * @param noFollow of a symbolic link itself
   */
  public CompletableFuture<AttributesReply> attributes(
      String path, boolean noFollow, boolean withXattrs) {
    if (!withXattrs) {
      return reads.attributes(path, noFollow, false);
    }
    return reads.ask(
        path, GetAttributesOfRequest.newBuilder().setNoFollow(noFollow).setWithXattrs(true));
  }

  /** Attributes of what a path leads to, with its handle. */
  public CompletableFuture<AttributesReply> lookup(String path) {
    return reads.attributes(path, false, true);
  }

  /** Gives a file another name. */
  public CompletableFuture<FileAttributes> link(String existing, String path) {
    return attributes(
        VolumeRequest.once(
                Opcode.LINK,
                existing + " -> " + path,
                context ->
                    LinkRequest.newBuilder()
                        .setContext(context)
                        .setExisting(session.mount().node(existing))
                        .setNode(session.mount().node(path))
                        .build(),
                AttributesReply.parser())
            .changing(existing, path));
  }

  /** Makes a name that leads to a path. */
  public CompletableFuture<FileAttributes> symlink(String target, String path) {
    return attributes(
        VolumeRequest.once(
                Opcode.SYMLINK,
                path,
                context ->
                    SymlinkRequest.newBuilder()
                        .setContext(context)
                        .setNode(session.mount().node(path))
                        .setTarget(target)
                        .build(),
                AttributesReply.parser())
            .changing(path));
  }

  public CompletableFuture<Void> setXattr(String path, String name, byte[] value, XattrMode mode) {
    return xattr(
        path,
        SetXattrRequest.newBuilder()
            .setName(name)
            .setValue(UnsafeByteOperations.unsafeWrap(value.clone()))
            .setMode(mode));
  }

  /** NOT_FOUND if there is none of that name. */
  public CompletableFuture<Void> removeXattr(String path, String name) {
    return xattr(path, SetXattrRequest.newBuilder().setName(name).setRemove(true));
  }

  private CompletableFuture<Void> xattr(String path, SetXattrRequest.Builder change) {
    return session
        .call(
            VolumeRequest.once(
                    Opcode.SET_XATTR,
                    path,
                    context ->
                        change
                            .clone()
                            .setContext(context)
                            .setNode(session.mount().node(path))
                            .build(),
                    Empty.parser())
                .changing(path))
        .thenApply(answer -> null);
  }

  /**
   * Says how new files of a directory are cut.
   *
   * @param layout empty: by the volume's default again
   */
  public CompletableFuture<FileAttributes> setLayout(String path, Optional<LayoutMessage> layout) {
    return attributes(
        VolumeRequest.once(
                Opcode.SET_LAYOUT,
                path,
                context -> {
                  SetLayoutRequest.Builder request =
                      SetLayoutRequest.newBuilder()
                          .setContext(context)
                          .setNode(session.mount().node(path));
                  layout.ifPresent(request::setLayout);
                  return request.build();
                },
                AttributesReply.parser())
            .changing(path));
  }

  private CompletableFuture<FileAttributes> attributes(VolumeRequest<AttributesReply> request) {
    return session.call(request).thenApply(answer -> answer.body().getAttributes());
  }
}
