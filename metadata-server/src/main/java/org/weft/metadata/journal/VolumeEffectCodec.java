package org.weft.metadata.journal;

import com.google.protobuf.ByteString;
import java.util.Optional;
import org.weft.metadata.journal.LiveEffect.Counter;
import org.weft.metadata.journal.LiveEffect.CounterKind;
import org.weft.metadata.journal.LiveEffect.FileDamaged;
import org.weft.metadata.journal.LiveEffect.LengthLive;
import org.weft.metadata.journal.LiveEffect.OfFiles;
import org.weft.metadata.journal.LiveEffect.OfVolume;
import org.weft.metadata.journal.LiveEffect.VolumeCreated;
import org.weft.protocol.capability.HandleKey;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.wire.CounterEffect;
import org.weft.protocol.wire.EffectMessage;
import org.weft.protocol.wire.FileDamagedEffect;
import org.weft.protocol.wire.LengthLiveEffect;
import org.weft.protocol.wire.VolumeCreatedEffect;

/** Between effects on a volume and what is known of its files, and their messages. */
final class VolumeEffectCodec {
  private VolumeEffectCodec() {}

  static void add(EffectMessage.Builder message, OfVolume effect) {
    if (effect instanceof VolumeCreated created) {
      message.setVolumeCreated(toMessage(created));
    } else if (effect instanceof Counter counter) {
      message.setCounter(
          CounterEffect.newBuilder().setCounter(number(counter.kind())).setNext(counter.next()));
    } else {
      throw new AssertionError("unhandled effect: " + effect);
    }
  }

  static void add(EffectMessage.Builder message, OfFiles effect) {
    if (effect instanceof FileDamaged damaged) {
      message.setFileDamaged(toMessage(damaged));
    } else if (effect instanceof LengthLive length) {
      message.setLengthLive(
          LengthLiveEffect.newBuilder()
              .setObjectId(length.object().value())
              .setLive(length.live()));
    } else {
      throw new AssertionError("unhandled effect: " + effect);
    }
  }

  private static VolumeCreatedEffect toMessage(VolumeCreated created) {
    VolumeCreatedEffect.Builder message =
        VolumeCreatedEffect.newBuilder()
            .setPartitionId(created.volume().value())
            .setMetaCopies(created.metaCopies())
            .setCreatedMillis(created.createdMillis());
    created
        .handleKey()
        .ifPresent(
            key ->
                message
                    .setHandleKeyNumber(key.number())
                    .setHandleKey(ByteString.copyFrom(key.bytes())));
    return message.build();
  }

  private static FileDamagedEffect toMessage(FileDamaged damaged) {
    return FileDamagedEffect.newBuilder()
        .setObjectId(damaged.object().value())
        .setWhat(damaged.what())
        .addAllGone(damaged.gone().toMessages())
        .build();
  }

  static LiveEffect fromMessage(EffectMessage message) {
    return switch (message.getEffectCase()) {
      case VOLUME_CREATED -> fromMessage(message.getVolumeCreated());
      case COUNTER ->
          new Counter(counter(message.getCounter().getCounter()), message.getCounter().getNext());
      case FILE_DAMAGED -> fromMessage(message.getFileDamaged());
      case LENGTH_LIVE ->
          new LengthLive(
              new ObjectId(message.getLengthLive().getObjectId()),
              message.getLengthLive().getLive());
      default -> throw new IllegalArgumentException("not of this codec: " + message);
    };
  }

  private static VolumeCreated fromMessage(VolumeCreatedEffect created) {
    return new VolumeCreated(
        new PartitionId(created.getPartitionId()),
        created.getMetaCopies(),
        created.getCreatedMillis(),
        created.getHandleKey().isEmpty()
            ? Optional.empty()
            : Optional.of(
                HandleKey.of(created.getHandleKeyNumber(), created.getHandleKey().toByteArray())));
  }

  private static FileDamaged fromMessage(FileDamagedEffect message) {
    return new FileDamaged(
        new ObjectId(message.getObjectId()),
        message.getWhat(),
        ByteRanges.fromMessages(message.getGoneList()));
  }

  private static int number(CounterKind kind) {
    return switch (kind) {
      case OBJECT -> 1;
      case SESSION -> 2;
      case FILES -> 3;
      case CREATE_FLOOR -> 4;
      case TOLD_UP_TO -> 5;
    };
  }

  private static CounterKind counter(int number) {
    return switch (number) {
      case 1 -> CounterKind.OBJECT;
      case 2 -> CounterKind.SESSION;
      case 3 -> CounterKind.FILES;
      case 4 -> CounterKind.CREATE_FLOOR;
      case 5 -> CounterKind.TOLD_UP_TO;
      default -> throw new IllegalArgumentException("no counter has number " + number);
    };
  }
}
