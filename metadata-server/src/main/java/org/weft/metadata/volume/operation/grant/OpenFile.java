package org.weft.metadata.volume.operation.grant;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import java.util.SortedSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.session.OpenFiles;
import org.weft.metadata.session.Session;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.PowerLosses;
import org.weft.metadata.volume.operation.ReadOffer;
import org.weft.metadata.volume.operation.Replies;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.path.PathWalk;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.wire.OpenReply;

/**
 * Grants the reading of a file, also beside its writer: up to the published length (P 4.3); or its
 * writing. The session has a file that it reads open until it says that it has closed it. A file
 * without a name can only be opened, by its handle, by a session that has it open already.
 *
 * @param shared with write: others may write it too, if they say so as well
 * @param mayCache without write: read grants are wanted
 */
public record OpenFile(NodePath path, boolean write, boolean shared, boolean mayCache)
    implements Operation {
  /** For reading, or for writing alone. */
  public OpenFile(NodePath path, boolean write) {
    this(path, write, false);
  }

  /** Without read grants. */
  public OpenFile(NodePath path, boolean write, boolean shared) {
    this(path, write, shared, false);
  }

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    if (write) {
      return new OpenForWriting(path, shared, false).execute(on);
    }
    PathWalk walk = on.walk(mayCache);
    Attributes file = walk.node(path);
    requireBytes(file, path);
    Permissions.require(file, on.credentials(), Permissions.READ, path);
    if (on.grants().isOrphan(file.object()) && !mayHaveOpen(on, file.object())) {
      throw PathWalk.notFound(path);
    }
    OpenReply.Builder reply = opened(on, file, path);
    if (mayCache) {
      // A client keeps what it was granted open: others are to find room.
      Optional<Attributes> offered =
          on.openFiles().isHalfFull() ? Optional.empty() : Optional.of(file);
      reply.setGranted(new ReadOffer(on).of(walk.trace(), offered));
    }
    return reply.build();
  }

  @Override
  public boolean isAnsweredOnce() {
    return write;
  }

  /**
   * The file, open for reading by the session.
   *
   * @param what names it in messages
   */
  public static OpenReply.Builder opened(Execution on, Attributes file, Object what)
      throws NeedsInput, WeftException {
    on.requireLength(file.object());
    requireCompared(on, file, what);
    return OpenReply.newBuilder()
        .setAttributes(AttributesCodec.toShortMessage(file))
        .setGrant(Replies.readGrant(on, file))
        .setOpenNumber(opened(on, file.object()).value())
        .setHandle(on.handles().of(file.object()));
  }

  private static Lsn opened(Execution on, ObjectId object) throws WeftException {
    Session session = on.session();
    int most = session.trusted() ? OpenFiles.MAX_FILES_OF_TRUSTED : OpenFiles.MAX_FILES_OF_SESSION;
    return on.openFiles().open(session.id(), object, most);
  }

  /**
   * @throws WeftException IS_DIRECTORY, or UNSUPPORTED of anything else that is no regular file
   */
  public static void requireBytes(Attributes node, Object what) throws WeftException {
    if (node.isDirectory()) {
      throw new WeftException(ErrorCode.IS_DIRECTORY, what + " is a directory");
    }
    if (node.isAttributesAlone()) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED,
          what
              + " is of kind "
              + node.kind()
              + " and has no bytes; hosts that mount it through a gateway know what to do with it");
    }
  }

  /**
   * Components may have lost different writes. From these a reader would decode bytes that were
   * never written.
   *
   * @throws WeftException UNAVAILABLE until the file is resolved (P 5.9)
   */
  private static void requireCompared(Execution on, Attributes file, Object what)
      throws WeftException {
    SortedSet<Integer> suspects = new PowerLosses(on, file.object()).suspectsIn(file.map());
    if (!suspects.isEmpty()) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          what
              + " was written when OSDs "
              + suspects.stream().map(file.map()::osdOf).toList()
              + " lost power; what they have of it is being compared, try again");
    }
  }

  private static boolean mayHaveOpen(Execution on, ObjectId object) {
    SessionId session = on.session().id();
    return on.openFiles().holds(session, object) || on.sessions().isUnreclaimed(session);
  }
}
