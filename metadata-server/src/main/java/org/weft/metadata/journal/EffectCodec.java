package org.weft.metadata.journal;

import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.weft.protocol.wire.EffectMessage;
import org.weft.protocol.wire.JournalRecordBody;
import org.weft.protocol.wire.JournalSnapshotBody;

/**
 * Between effects and the bodies of frames ({@code journal.proto}). The findings of the scrub of
 * parity can be found out again. They stand apart, as notes, which a release that does not know
 * them passes over. So an earlier release, or a backup of one, can use the journal, and its scrub
 * begins from the start. Notes are read behind the other effects of their frame.
 */
final class EffectCodec {
  /** Effects in one frame of a snapshot reach about this many bytes. */
  private static final int SNAPSHOT_PART_BYTES = 256 << 10;

  /** A snapshot's part in one frame. */
  record SnapshotPart(int part, boolean last, List<LiveEffect> effects) {}

  private EffectCodec() {}

  static byte[] encodeRecord(List<Effect> effects) {
    JournalRecordBody.Builder body = JournalRecordBody.newBuilder();
    for (Effect effect : effects) {
      if (effect instanceof LiveEffect.OfScrub) {
        body.addNotes(toMessage(effect));
      } else {
        body.addEffects(toMessage(effect));
      }
    }
    return body.build().toByteArray();
  }

  /** Reads a record's body; what cannot be read is an {@link IllegalArgumentException}. */
  static List<Effect> decodeRecord(ByteBuffer body) {
    try {
      JournalRecordBody message = JournalRecordBody.parseFrom(body);
      List<Effect> effects = new ArrayList<>();
      message.getEffectsList().forEach(effect -> effects.add(fromMessage(effect)));
      effects.addAll(notes(message.getNotesList()));
      return effects;
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("the body of a record is no message: " + e, e);
    }
  }

  /** The bodies of a snapshot's frames; at least one. */
  static List<byte[]> encodeSnapshot(List<LiveEffect> liveState) {
    List<byte[]> parts = new ArrayList<>();
    JournalSnapshotBody.Builder part = JournalSnapshotBody.newBuilder();
    int bytes = 0;
    for (LiveEffect effect : liveState) {
      if (bytes >= SNAPSHOT_PART_BYTES) {
        parts.add(part.setPart(parts.size()).build().toByteArray());
        part = JournalSnapshotBody.newBuilder();
        bytes = 0;
      }
      EffectMessage message = LiveEffectCodec.toMessage(effect);
      bytes += message.getSerializedSize();
      if (effect instanceof LiveEffect.OfScrub) {
        part.addNotes(message);
      } else {
        part.addEffects(message);
      }
    }
    parts.add(part.setPart(parts.size()).setLast(true).build().toByteArray());
    return parts;
  }

  /** Reads a part of a snapshot; what cannot be read is an {@link IllegalArgumentException}. */
  static SnapshotPart decodeSnapshotPart(ByteBuffer body) {
    try {
      JournalSnapshotBody message = JournalSnapshotBody.parseFrom(body);
      List<LiveEffect> effects = new ArrayList<>();
      for (EffectMessage effect : message.getEffectsList()) {
        if (!(fromMessage(effect) instanceof LiveEffect live)) {
          throw new IllegalArgumentException("a snapshot holds more than live state: " + effect);
        }
        effects.add(live);
      }
      effects.addAll(notes(message.getNotesList()));
      return new SnapshotPart(message.getPart(), message.getLast(), effects);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("the body of a snapshot is no message: " + e, e);
    }
  }

  /** Without those of a newer release. */
  private static List<LiveEffect> notes(List<EffectMessage> messages) {
    List<LiveEffect> notes = new ArrayList<>();
    for (EffectMessage message : messages) {
      if (message.getEffectCase() != EffectMessage.EffectCase.EFFECT_NOT_SET) {
        notes.add(LiveEffectCodec.fromMessage(message));
      }
    }
    return notes;
  }

  private static EffectMessage toMessage(Effect effect) {
    return effect instanceof ObjectEffect object
        ? ObjectEffectCodec.toMessage(object)
        : LiveEffectCodec.toMessage((LiveEffect) effect);
  }

  private static Effect fromMessage(EffectMessage message) {
    return switch (message.getEffectCase()) {
      case CREATE_DIRECTORY, PUT_ENTRY, REMOVE_ENTRY, PUT_ATTRIBUTES, REMOVE_OBJECT ->
          ObjectEffectCodec.fromMessage(message);
      case EFFECT_NOT_SET ->
          throw new IllegalArgumentException(
              "the journal holds an effect that this release does not know; start the release that"
                  + " wrote it");
      default -> LiveEffectCodec.fromMessage(message);
    };
  }
}
