package org.weft.metadata.attributes;

import java.util.OptionalLong;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.FileAttributes;

/** Between {@link Attributes} and the schema. */
public final class AttributesCodec {
  private AttributesCodec() {}

  public static FileAttributes toMessage(Attributes from) {
    FileAttributes.Builder message =
        FileAttributes.newBuilder()
            .setObjectId(from.object().value())
            .setKind(from.kind().toMessage())
            .setMode(from.mode())
            .setOwner(from.owner())
            .setGroup(from.group())
            .setSize(from.sizeBytes())
            .setMtimeMillis(from.times().mtimeMillis())
            .setCtimeMillis(from.times().ctimeMillis())
            .setAtimeMillis(from.times().atimeMillis())
            .setLinks(from.links())
            .setMap(from.map().toMessage())
            .setParentObjectId(from.parent().directory().value())
            .setParentName(from.parent().name())
            .setTruncationNumber(from.truncation().number())
            .setChangeLsn(from.changeLsn().value())
            .setSymlinkTarget(from.symlinkTarget())
            .setEntries(from.entries())
            .setCreateGrant(from.createGrant().value());
    from.truncation().trimBytes().ifPresent(trim -> message.setHasTrim(true).setTrim(trim));
    return message.build();
  }

  /** Reads attributes; what breaks a rule is an {@link IllegalArgumentException}. */
  public static Attributes fromMessage(FileAttributes message) {
    OptionalLong trim =
        message.getHasTrim() ? OptionalLong.of(message.getTrim()) : OptionalLong.empty();
    ObjectId parent = new ObjectId(message.getParentObjectId());
    return Attributes.create(
            new ObjectId(message.getObjectId()),
            NodeKind.fromMessage(message.getKind()),
            StorageMap.fromMessage(message.getMap()))
        .mode(message.getMode())
        .owner(message.getOwner())
        .group(message.getGroup())
        .sizeBytes(message.getSize())
        .times(
            new Times(message.getMtimeMillis(), message.getCtimeMillis(), message.getAtimeMillis()))
        .links(message.getLinks())
        .parent(new ParentHint(parent, message.getParentName()))
        .truncation(new Truncation(message.getTruncationNumber(), trim))
        .changeLsn(new Lsn(message.getChangeLsn()))
        .symlinkTarget(message.getSymlinkTarget())
        .entries(message.getEntries())
        .createGrant(new Lsn(message.getCreateGrant()))
        .build();
  }
}
