package org.weft.metadata.volume.operation.number;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.directory.DirectoryPage;
import org.weft.metadata.directory.NamedEntry;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.name.ReadDirectory;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.EncodedDirectoryEntry;
import org.weft.protocol.wire.EncodedListNodesReply;

/**
 * Lists a directory that is named by its number (P 6.5c), in the order of cookies, which stay as
 * they are for ever. Attributes of files that a client writes are left out: they may be longer.
 *
 * @param cookie 0, or that of the last entry seen
 * @param maxEntries 0 for as many as there may be
 */
public record ListNodes(ObjectId object, long cookie, int maxEntries, boolean withAttributes)
    implements Operation {
  /** A page ends here even if more entries were wanted: it has to fit a frame. */
  private static final int MAX_BYTES = 1 << 20;

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    if (cookie < 0) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT, "no entry has the cookie " + Long.toUnsignedString(cookie));
    }
    Attributes directory = new NumberedNodes(on).directory(object);
    // Attributes of what is there take the right to search, names alone do not.
    int wanted = Permissions.READ | (withAttributes ? Permissions.EXECUTE : 0);
    boolean searchable = Permissions.allows(directory, on.credentials(), wanted);
    Permissions.require(directory, on.credentials(), Permissions.READ, NumberedNodes.named(object));
    DirectoryPage page = on.view().page(object, cookie, mostEntries());
    List<Optional<Attributes>> attributes =
        withAttributes && searchable ? on.view().attributesOf(page.entries()) : List.of();
    EncodedListNodesReply.Builder reply =
        EncodedListNodesReply.newBuilder().setDirectory(AttributesCodec.toShortMessage(directory));
    int bytes = 0;
    for (int index = 0; index < page.entries().size(); index++) {
      Optional<Attributes> node = attributes.isEmpty() ? Optional.empty() : attributes.get(index);
      EncodedDirectoryEntry entry = entry(on, page.entries().get(index), node);
      bytes += entry.getSerializedSize();
      if (bytes > MAX_BYTES && index > 0) {
        return reply.build();
      }
      reply.addEntries(entry);
    }
    return reply.setEnd(page.end()).build();
  }

  @Override
  public boolean isAnsweredOnce() {
    return false;
  }

  @Override
  public Optional<MessageLite> lookedAt(Execution on) throws NeedsInput, WeftException {
    return new NumberedNodes(on).lookedAt(object);
  }

  private int mostEntries() {
    return maxEntries <= 0
        ? ReadDirectory.MAX_ENTRIES
        : Math.min(maxEntries, ReadDirectory.MAX_ENTRIES);
  }

  @Override
  public ListNodes lessened() {
    return new ListNodes(object, cookie, Math.max(1, mostEntries() / 2), withAttributes);
  }

  private static EncodedDirectoryEntry entry(
      Execution on, NamedEntry named, Optional<Attributes> node) {
    EncodedDirectoryEntry.Builder entry =
        EncodedDirectoryEntry.newBuilder()
            .setName(named.name())
            .setObjectId(named.entry().object().value())
            .setKind(named.entry().kind().toMessage())
            .setCookie(named.cookie());
    boolean written =
        named.entry().kind() == NodeKind.FILE
            && on.grants().find(named.entry().object()).isPresent();
    if (!written) {
      node.map(on.encoded()::of).ifPresent(entry::setAttributes);
    }
    return entry.build();
  }
}
