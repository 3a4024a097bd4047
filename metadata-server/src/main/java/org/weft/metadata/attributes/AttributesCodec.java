package org.weft.metadata.attributes;

import com.google.protobuf.ByteString;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.metadata.acl.AclCodec;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.Xattr;

/** Between {@link Attributes} and the schema. */
public final class AttributesCodec {
  private AttributesCodec() {}

  /** Everything, as it is stored. */
  public static FileAttributes toMessage(Attributes from) {
    FileAttributes.Builder message = withoutXattrs(from);
    from.xattrs()
        .forEach(
            (name, value) -> message.addXattr(Xattr.newBuilder().setName(name).setValue(value)));
    AclCodec.write(from.acls(), message);
    return message.build();
  }

  /**
   * All but the extended attributes and the ACLs, which may be long; whether there are ACLs is
   * said.
   */
  public static FileAttributes toShortMessage(Attributes from) {
    return withoutXattrs(from).setHasAcl(!from.acls().isNone()).build();
  }

  private static FileAttributes.Builder withoutXattrs(Attributes from) {
    boolean many = from.parent().equals(ParentHint.MANY);
    FileAttributes.Builder message =
        FileAttributes.newBuilder()
            .setObjectId(from.object().value())
            .setKind(from.kind().toMessage())
            .setMode(from.mode())
            .setOwner(from.owner())
            .setGroup(from.group())
            .setSize(from.sizeBytes())
            .setMtimeMillis(Times.millisOf(from.times().mtimeNanos()))
            .setCtimeMillis(Times.millisOf(from.times().ctimeNanos()))
            .setAtimeMillis(Times.millisOf(from.times().atimeNanos()))
            .setMtimeNanos(Times.belowMilli(from.times().mtimeNanos()))
            .setCtimeNanos(Times.belowMilli(from.times().ctimeNanos()))
            .setAtimeNanos(Times.belowMilli(from.times().atimeNanos()))
            .setRdevMajor(from.device().major())
            .setRdevMinor(from.device().minor())
            .setLinks(from.links())
            .setMap(from.map().toMessage())
            .setParentObjectId(from.parent().directory().value())
            .setParentName(many ? "" : from.parent().name())
            .setManyParents(many)
            .setTruncationNumber(from.truncation().number())
            .setChangeLsn(from.changeLsn().value())
            .setSymlinkTarget(from.symlinkTarget())
            .setEntries(from.entries())
            .setCreateGrant(from.createGrant().value())
            .setUnwritten(from.unwritten())
            .setQuotaTree(from.quotaTree().value());
    from.truncation().trimBytes().ifPresent(trim -> message.setHasTrim(true).setTrim(trim));
    from.defaultLayout().ifPresent(message::setDefaultLayout);
    from.createVerifier().ifPresent(message::setCreateVerifier);
    return message;
  }

  /** Reads attributes; what breaks a rule is an {@link IllegalArgumentException}. */
  public static Attributes fromMessage(FileAttributes message) {
    OptionalLong trim =
        message.getHasTrim() ? OptionalLong.of(message.getTrim()) : OptionalLong.empty();
    ParentHint parent =
        message.getManyParents()
            ? ParentHint.MANY
            : new ParentHint(new ObjectId(message.getParentObjectId()), message.getParentName());
    SortedMap<String, ByteString> xattrs = new TreeMap<>();
    message.getXattrList().forEach(xattr -> xattrs.put(xattr.getName(), xattr.getValue()));
    return Attributes.create(
            new ObjectId(message.getObjectId()),
            NodeKind.fromMessage(message.getKind()),
            StorageMap.fromMessage(message.getMap()))
        .mode(message.getMode())
        .owner(message.getOwner())
        .group(message.getGroup())
        .sizeBytes(message.getSize())
        .times(
            new Times(
                Times.nanos(message.getMtimeMillis(), message.getMtimeNanos()),
                Times.nanos(message.getCtimeMillis(), message.getCtimeNanos()),
                Times.nanos(message.getAtimeMillis(), message.getAtimeNanos())))
        .links(message.getLinks())
        .parent(parent)
        .truncation(new Truncation(message.getTruncationNumber(), trim))
        .changeLsn(new Lsn(message.getChangeLsn()))
        .symlinkTarget(message.getSymlinkTarget())
        .entries(message.getEntries())
        .createGrant(new Lsn(message.getCreateGrant()))
        .xattrs(xattrs)
        .defaultLayout(
            message.hasDefaultLayout() ? Optional.of(message.getDefaultLayout()) : Optional.empty())
        .unwritten(message.getUnwritten())
        .device(new Device(message.getRdevMajor(), message.getRdevMinor()))
        .createVerifier(
            message.hasCreateVerifier()
                ? OptionalLong.of(message.getCreateVerifier())
                : OptionalLong.empty())
        .quotaTree(tree(message.getQuotaTree()))
        .acls(AclCodec.read(message))
        .build();
  }

  private static ObjectId tree(long directory) {
    return directory == 0 ? Attributes.UNCOUNTED : new ObjectId(directory);
  }
}
