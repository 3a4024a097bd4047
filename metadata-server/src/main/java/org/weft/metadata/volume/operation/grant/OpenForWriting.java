package org.weft.metadata.volume.operation.grant;

import com.google.protobuf.MessageLite;
import java.util.OptionalLong;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.attributes.Truncation;
import org.weft.metadata.session.Session;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.GrantStart;
import org.weft.metadata.volume.operation.Replies;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.path.PathWalk;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.FileLimits;
import org.weft.protocol.wire.OpenReply;

/**
 * Grants the writing of a file that exists, to one client alone or to one of several that share it
 * (P 6.5). The LSN of the record is the grant's number. The floor of its capability is the smallest
 * grant that is still written under. So its first write to a component shuts out every older grant
 * there (P 5.7).
 *
 * <p>Where others are in the way they are asked to give the file back, if they are idle; the client
 * asks again meanwhile.
 *
 * <p>The record takes setuid and setgid from the mode, unless the user is a superuser (P
 * 6.5c.8.35). No later message says which user's bytes are written.
 *
 * @param returning the client had the file open, and gave its grant back because it was wanted
 */
public record OpenForWriting(NodePath path, boolean shared, boolean returning)
    implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Session session = on.session();
    on.grants().requireRoom(session.id());
    Attributes found = on.walk().node(path);
    OpenFile.requireBytes(found, path);
    if (on.grants().isOrphan(found.object())) {
      throw PathWalk.notFound(path);
    }
    if (!returning || !on.credentials().user().equals(found.owner())) {
      Permissions.require(found, on.credentials(), Permissions.WRITE, path);
    }
    Attributes writable = Permissions.afterWrite(found, on.credentials(), on.dayNanos());
    return granted(on, found, writable, shared, path);
  }

  /**
   * The file, which has a name, open for writing by the session. Its mode stays: one opening serves
   * many users.
   *
   * @param what names it in messages
   */
  public static MessageLite granted(Execution on, Attributes found, boolean shared, Object what)
      throws WeftException {
    return granted(on, found, found, shared, what);
  }

  private static MessageLite granted(
      Execution on, Attributes found, Attributes writable, boolean shared, Object what)
      throws WeftException {
    Attributes file = withinLimits(writable);
    requireFree(on, file, shared, what);
    on.lengths().requireHeard(file.object());
    requireNotRebuilt(on, file.object());
    requireLeft(on, file.object());
    if (file != found) {
      file = on.draft().put(file);
    }
    new GrantStart(on).open(file, shared);
    return OpenReply.newBuilder()
        .setAttributes(AttributesCodec.toShortMessage(file))
        .setGrant(
            shared
                ? Replies.sharedGrant(on, file, Lsn.ZERO)
                : Replies.updateGrant(on, file, on.draft().lsn()))
        .setHandle(on.handles().of(file.object()))
        .build();
  }

  private static void requireFree(Execution on, Attributes file, boolean shared, Object what)
      throws WeftException {
    // Without effect if no client writes it.
    on.wanted(file.object());
    try {
      // The client that began a truncation finishes it before another joins.
      if (shared && file.truncation().trimBytes().isEmpty()) {
        on.grants().requireShareable(file.object(), what.toString());
      } else {
        on.grants().requireUnwritten(file.object(), what.toString());
      }
    } catch (WeftException e) {
      if (e.code() == ErrorCode.BEING_WRITTEN) {
        on.grantWishes().wanted(file.object(), on.session().id(), shared, on.nowNanos());
      }
      throw e;
    }
  }

  /** Its writers gave it back for that; they wait a while rather than have it begun anew. */
  private static void requireNotRebuilt(Execution on, ObjectId object) throws WeftException {
    boolean underWay = on.rebuilds().find(object).isPresent();
    if (on.grants().find(object).isEmpty()
        && on.grantWishes().holdsOff(object, underWay, on.nowNanos())) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "a lost component of object " + object + " is being written anew; try again");
    }
  }

  /**
   * Where a component of before serves readers by maps of before, it must not become out of date.
   */
  private static void requireLeft(Execution on, ObjectId object) throws WeftException {
    for (OsdId osd : on.repairTables().leftOn(object)) {
      if (!on.cluster().isDown(osd)) {
        throw new WeftException(
            ErrorCode.UNAVAILABLE,
            "object "
                + object
                + " has just moved away from OSD "
                + osd
                + ", where it is being removed; try again");
      }
    }
  }

  /**
   * The file, or the file truncated to the greatest length. Earlier releases journalled lengths
   * that OSDs refuse. Such a truncation could never be finished, nor the file be written. No byte
   * is lost behind the limit, since no OSD takes bytes there.
   */
  private static Attributes withinLimits(Attributes file) {
    if (FileLimits.isFileLength(file.sizeBytes())) {
      return file;
    }
    long longest = FileLimits.MAX_FILE_BYTES;
    Truncation cut = new Truncation(file.truncation().number() + 1, OptionalLong.of(longest));
    return file.edit().sizeBytes(longest).truncation(cut).build();
  }
}
