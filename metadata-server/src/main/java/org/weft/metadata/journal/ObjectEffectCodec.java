package org.weft.metadata.journal;

import java.util.List;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.directory.HashKey;
import org.weft.metadata.journal.ObjectEffect.CreateDirectory;
import org.weft.metadata.journal.ObjectEffect.PutAttributes;
import org.weft.metadata.journal.ObjectEffect.PutEntry;
import org.weft.metadata.journal.ObjectEffect.RemoveEntry;
import org.weft.metadata.journal.ObjectEffect.RemoveObject;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.CreateDirectoryEffect;
import org.weft.protocol.wire.EffectMessage;
import org.weft.protocol.wire.PutEntryEffect;
import org.weft.protocol.wire.RemoveEntryEffect;
import org.weft.protocol.wire.RemoveObjectEffect;

/** Between effects on objects and their messages. */
final class ObjectEffectCodec {
  private ObjectEffectCodec() {}

  static EffectMessage toMessage(ObjectEffect effect) {
    EffectMessage.Builder message = EffectMessage.newBuilder();
    if (effect instanceof CreateDirectory create) {
      message.setCreateDirectory(
          CreateDirectoryEffect.newBuilder()
              .setObjectId(create.object().value())
              .setKey0(create.key().k0())
              .setKey1(create.key().k1()));
    } else if (effect instanceof PutEntry put) {
      message.setPutEntry(toMessage(put));
    } else if (effect instanceof RemoveEntry remove) {
      message.setRemoveEntry(
          RemoveEntryEffect.newBuilder()
              .setDirectoryId(remove.object().value())
              .setName(remove.name()));
    } else if (effect instanceof PutAttributes put) {
      message.setPutAttributes(AttributesCodec.toMessage(put.attributes()));
    } else if (effect instanceof RemoveObject remove) {
      message.setRemoveObject(
          RemoveObjectEffect.newBuilder()
              .setObjectId(remove.object().value())
              .addAllHolderOsd(numbers(remove.holders())));
    } else {
      throw new AssertionError("unhandled effect: " + effect);
    }
    return message.build();
  }

  private static PutEntryEffect toMessage(PutEntry put) {
    DirectoryEntry entry = put.entry();
    return PutEntryEffect.newBuilder()
        .setDirectoryId(put.object().value())
        .setName(put.name())
        .setObjectId(entry.object().value())
        .setKind(entry.kind().toMessage())
        .setLsn(entry.lsn().value())
        .addAllHintOsd(numbers(entry.hints()))
        .build();
  }

  static ObjectEffect fromMessage(EffectMessage message) {
    return switch (message.getEffectCase()) {
      case CREATE_DIRECTORY -> {
        CreateDirectoryEffect create = message.getCreateDirectory();
        yield new CreateDirectory(
            new ObjectId(create.getObjectId()), new HashKey(create.getKey0(), create.getKey1()));
      }
      case PUT_ENTRY -> fromMessage(message.getPutEntry());
      case REMOVE_ENTRY ->
          new RemoveEntry(
              new ObjectId(message.getRemoveEntry().getDirectoryId()),
              message.getRemoveEntry().getName());
      case PUT_ATTRIBUTES ->
          new PutAttributes(AttributesCodec.fromMessage(message.getPutAttributes()));
      case REMOVE_OBJECT ->
          new RemoveObject(
              new ObjectId(message.getRemoveObject().getObjectId()),
              osds(message.getRemoveObject().getHolderOsdList()));
      default -> throw new IllegalArgumentException("not an effect on an object: " + message);
    };
  }

  private static PutEntry fromMessage(PutEntryEffect put) {
    DirectoryEntry entry =
        new DirectoryEntry(
            new ObjectId(put.getObjectId()),
            NodeKind.fromMessage(put.getKind()),
            new Lsn(put.getLsn()),
            osds(put.getHintOsdList()));
    return new PutEntry(new ObjectId(put.getDirectoryId()), put.getName(), entry);
  }

  static List<Integer> numbers(List<OsdId> osds) {
    return osds.stream().map(OsdId::value).toList();
  }

  static List<OsdId> osds(List<Integer> numbers) {
    return numbers.stream().map(OsdId::new).toList();
  }
}
