package org.weft.metadata.volume.operation.name;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Optional;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.directory.DirectoryPage;
import org.weft.metadata.directory.NamedEntry;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.ReadOffer;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.path.PathWalk;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.EncodedDirectoryEntry;
import org.weft.protocol.wire.EncodedReaddirReply;

/**
 * Lists a directory, page by page in the order of the names' hashes (P 6.7). An entry that stays
 * where it is is listed exactly once, whatever else changes meanwhile. A page has fewer entries
 * than were asked for where the manager's cache does not hold what more of them need.
 *
 * @param cookie of the last entry seen; 0 starts at the beginning
 * @param withHandles of the entries, which needs the right to search the directory
 * @param mayCache read grants are wanted
 */
public record ReadDirectory(
    NodePath path,
    long cookie,
    int maxEntries,
    boolean withAttributes,
    boolean withHandles,
    boolean mayCache)
    implements Operation {
  /** Names in one reply. */
  public static final int MAX_ENTRIES = 1_000;

  private static final int READ_AND_SEARCH = Permissions.READ | Permissions.EXECUTE;

  /** A page ends here even if more entries were wanted: it has to fit a frame. */
  private static final int MAX_BYTES = 1 << 20;

  /** Without handles. */
  public ReadDirectory(NodePath path, long cookie, int maxEntries, boolean withAttributes) {
    this(path, cookie, maxEntries, withAttributes, false, false);
  }

  /** Without read grants. */
  public ReadDirectory(
      NodePath path, long cookie, int maxEntries, boolean withAttributes, boolean withHandles) {
    this(path, cookie, maxEntries, withAttributes, withHandles, false);
  }

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    if (cookie < 0) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT, "no entry has the cookie " + Long.toUnsignedString(cookie));
    }
    PathWalk walk = on.walk(mayCache);
    Attributes directory = walk.node(path);
    if (!directory.isDirectory()) {
      throw new WeftException(ErrorCode.NOT_DIRECTORY, path + " is not a directory");
    }
    int wanted = withHandles ? READ_AND_SEARCH : Permissions.READ;
    Permissions.require(directory, on.credentials(), wanted, path);
    DirectoryPage page = on.view().page(directory.object(), cookie, mostEntries());
    List<Optional<Attributes>> attributes =
        withAttributes ? on.view().attributesOf(page.entries()) : List.of();
    requireAnswers(on, page, attributes);
    Optional<ReadOffer> offer =
        mayCache && walk.trace().isPlain() ? Optional.of(new ReadOffer(on)) : Optional.empty();
    EncodedReaddirReply.Builder reply = EncodedReaddirReply.newBuilder();
    offer.ifPresent(given -> reply.setGranted(given.of(walk.trace(), Optional.of(directory))));
    return reply(on, page, attributes, offer, reply);
  }

  @Override
  public boolean isAnsweredOnce() {
    return false;
  }

  /** What is lost for good is listed without attributes; what may come is waited for (P 5.8). */
  private void requireAnswers(
      Execution on, DirectoryPage page, List<Optional<Attributes>> attributes)
      throws WeftException {
    for (int index = 0; index < attributes.size(); index++) {
      NamedEntry named = page.entries().get(index);
      boolean isLacking =
          attributes.get(index).isEmpty() && named.entry().kind() != NodeKind.VOLUME;
      ObjectId object = named.entry().object();
      if (isLacking && !on.view().mayHaveAttributes(object).isEmpty()) {
        throw on.view().outOfReach(object, path + " cannot be listed: " + named.name());
      }
    }
  }

  private int mostEntries() {
    return maxEntries <= 0 ? MAX_ENTRIES : Math.min(maxEntries, MAX_ENTRIES);
  }

  /**
   * Half a page, and in the end one entry, for which a few blocks and one node's attributes are
   * enough.
   */
  @Override
  public ReadDirectory lessened() {
    return new ReadDirectory(
        path, cookie, Math.max(1, mostEntries() / 2), withAttributes, withHandles, mayCache);
  }

  private MessageLite reply(
      Execution on,
      DirectoryPage page,
      List<Optional<Attributes>> attributes,
      Optional<ReadOffer> offer,
      EncodedReaddirReply.Builder reply) {
    int bytes = 0;
    for (int index = 0; index < page.entries().size(); index++) {
      NamedEntry named = page.entries().get(index);
      EncodedDirectoryEntry.Builder entry =
          EncodedDirectoryEntry.newBuilder()
              .setName(named.name())
              .setObjectId(named.entry().object().value())
              .setKind(named.entry().kind().toMessage())
              .setCookie(named.cookie());
      if (withAttributes) {
        attributes.get(index).map(on.encoded()::of).ifPresent(entry::setAttributes);
      }
      if (withAttributes && offer.isPresent()) {
        attributes.get(index).map(offer.get()::of).ifPresent(entry::setGranted);
      }
      if (withHandles && named.entry().kind() != NodeKind.VOLUME) {
        entry.setHandle(on.handles().of(named.entry().object()));
      }
      EncodedDirectoryEntry built = entry.build();
      bytes += built.getSerializedSize();
      if (bytes > MAX_BYTES && index > 0) {
        return reply.build();
      }
      reply.addEntries(built);
    }
    return reply.setEnd(page.end()).build();
  }
}
