package org.weft.metadata.volume.operation;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.grant.CapabilityMint;
import org.weft.metadata.session.SessionTable;
import org.weft.metadata.volume.execution.Execution;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.Grant;

/** Replies and the parts that several have in common. */
public final class Replies {
  /** The page of an object's attributes that holds {@link FileAttributes}. */
  private static final int FILE_ATTRIBUTES_PAGE = 0;

  private Replies() {}

  /** Attributes as they are stored, without a handle. */
  public static AttributesReply attributes(Attributes node) {
    return AttributesReply.newBuilder().setAttributes(AttributesCodec.toShortMessage(node)).build();
  }

  /** With the node's handle, for a client that used a path or has the handle already. */
  public static AttributesReply withHandle(Execution on, Attributes node) {
    return attributes(node).toBuilder().setHandle(on.handles().of(node.object())).build();
  }

  /**
   * States also whether a client writes the node, or it waits for its recovery. As for {@link
   * #readGrant}, "no" may rest on a record that is not durable yet, if that changed nothing of the
   * file.
   */
  public static AttributesReply attributesNow(Execution on, Attributes node) {
    return attributes(node).toBuilder()
        .setBeingWritten(on.grants().find(node.object()).isPresent())
        .build();
  }

  /**
   * The right to read a file. A file with an unfinished truncation counts as being written: its
   * parities still cover bytes behind its end (P 4.3).
   *
   * <p>That it is not being written may rest on the end of a grant whose record is not durable yet.
   * A record that ends a grant under which something was written, or could have been, also puts the
   * file's attributes. Then the reply waits for it (P 6.1). Without attributes a grant ends only
   * where its writer has said, last of all, that nothing was written under it. If such a record is
   * lost, the grant is there again. It ends once more, by its writer's repeated CLOSE_FILE or by a
   * resolve that finds nothing. So a reader that took the file to be at rest was right.
   */
  public static Grant readGrant(Execution on, Attributes file) {
    boolean written =
        on.grants().find(file.object()).isPresent() || file.truncation().trimBytes().isPresent();
    SignedCapability capability =
        on.mint()
            .reader(
                file.object(),
                on.lastLsn(),
                file.map().generation(),
                on.session().id(),
                on.nowMillis());
    return grant(on, file, capability).setBeingWritten(written).build();
  }

  /**
   * The right to write a file that exists beside others, under a grant that this very record opens.
   *
   * @param replaced by the grant; ZERO if none is
   */
  public static Grant sharedGrant(Execution on, Attributes file, Lsn replaced) {
    Lsn floor = on.grants().floor(file.object(), on.draft().lsn(), replaced);
    return updateGrant(on, file, floor).toBuilder().setShared(true).build();
  }

  /**
   * The right to write a file that exists, under a grant that this very record opens.
   *
   * @param floor the smallest grant that is not shut out
   */
  public static Grant updateGrant(Execution on, Attributes file, Lsn floor) {
    SignedCapability capability =
        on.mint()
            .writer(
                file.object(),
                on.draft().lsn(),
                floor,
                file.map().generation(),
                on.session().id(),
                on.nowMillis());
    Grant.Builder grant =
        grant(on, file, capability)
            .setNumber(on.draft().lsn().value())
            .setTruncationNumber(file.truncation().number());
    file.truncation().trimBytes().ifPresent(trim -> grant.setHasTrim(true).setTrim(trim));
    new QuotaDesk(on).limitOf(file.object()).ifPresent(grant::setLengthLimit);
    return grant.build();
  }

  /** The right to write a file that this very record makes, with its signed first attributes. */
  public static Grant createGrant(Execution on, Attributes file, FileAttributes message) {
    CapabilityMint mint = on.mint();
    ObjectId object = file.object();
    SignedCapability capability =
        mint.writer(
            object, on.draft().lsn(), file.map().generation(), on.session().id(), on.nowMillis());
    ByteString page = message.toByteString();
    Grant.Builder grant = grant(on, file, capability);
    new QuotaDesk(on).limitOf(object).ifPresent(grant::setLengthLimit);
    return grant
        .setNumber(on.draft().lsn().value())
        .setInitialAttributes(page)
        .setInitialAttributesLsn(on.draft().lsn().value())
        .setInitialAttributesMac(
            mint.initialAttributes(object, FILE_ATTRIBUTES_PAGE, on.draft().lsn(), page))
        .build();
  }

  private static Grant.Builder grant(Execution on, Attributes file, SignedCapability capability) {
    return Grant.newBuilder()
        .setMap(file.map().toMessage())
        .setCapability(capability.encoded())
        .setSecret(UnsafeByteOperations.unsafeWrap(capability.secret()))
        .setLeaseMillis(SessionTable.LEASE_MILLIS)
        .setTableVersion(on.cluster().tableVersion())
        .setMetaCopies(file.map().attributeHolders(on.settings().metaCopies()).size());
  }
}
