package org.weft.metadata.journal;

import static org.weft.metadata.journal.ObjectEffectCodec.ranges;

import java.util.Map;
import java.util.TreeMap;
import org.weft.metadata.journal.ScrubEffect.Contradicted;
import org.weft.metadata.journal.ScrubEffect.Pass;
import org.weft.metadata.journal.ScrubEffect.Reached;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.wire.EffectMessage;
import org.weft.protocol.wire.ParityContradictedEffect;
import org.weft.protocol.wire.ParityScrubPass;
import org.weft.protocol.wire.ParityScrubReachedEffect;

/** Between effects of the scrub of parity and their messages. */
final class ScrubEffectCodec {
  private ScrubEffectCodec() {}

  static void add(EffectMessage.Builder message, ScrubEffect effect) {
    if (effect instanceof Reached reached) {
      message.setParityScrubReached(toMessage(reached));
    } else if (effect instanceof Contradicted contradicted) {
      message.setParityContradicted(toMessage(contradicted));
    } else {
      throw new AssertionError("unhandled effect: " + effect);
    }
  }

  private static ParityScrubReachedEffect toMessage(Reached reached) {
    ParityScrubReachedEffect.Builder message =
        ParityScrubReachedEffect.newBuilder()
            .setPasses(reached.passes())
            .setObjectId(reached.object().value())
            .setStripe(reached.stripe())
            .addAllLaterId(reached.later().stream().map(ObjectId::value).toList())
            .setRounds(reached.rounds())
            .setWaits(reached.waits());
    if (!reached.laterStripes().isEmpty()) {
      reached
          .later()
          .forEach(
              object -> message.addLaterStripe(reached.laterStripes().getOrDefault(object, 0L)));
    }
    if (!reached.last().equals(Pass.NONE)) {
      message.setLast(toMessage(reached.last()));
    }
    if (!reached.now().equals(Pass.NONE)) {
      message.setNow(toMessage(reached.now()));
    }
    return message.build();
  }

  private static ParityScrubPass toMessage(Pass pass) {
    return ParityScrubPass.newBuilder()
        .setBegunMillis(pass.begunMillis())
        .setEndedMillis(pass.endedMillis())
        .setObjects(pass.objects())
        .setFiles(pass.files())
        .setBytes(pass.bytes())
        .setLeft(pass.left())
        .setUnlisted(pass.unlisted())
        .build();
  }

  private static ParityContradictedEffect toMessage(Contradicted contradicted) {
    ParityContradictedEffect.Builder message =
        ParityContradictedEffect.newBuilder()
            .setObjectId(contradicted.object().value())
            .setSinceMillis(contradicted.sinceMillis())
            .setUnits(contradicted.units())
            .setWhat(contradicted.what());
    for (ByteRange range : contradicted.inDoubt().list()) {
      message.addFrom(range.from()).addTo(range.toInMessage());
    }
    return message.build();
  }

  static ScrubEffect fromMessage(EffectMessage message) {
    return switch (message.getEffectCase()) {
      case PARITY_SCRUB_REACHED -> fromMessage(message.getParityScrubReached());
      case PARITY_CONTRADICTED -> fromMessage(message.getParityContradicted());
      default ->
          throw new IllegalArgumentException("not an effect of the scrub of parity: " + message);
    };
  }

  /** A release before this one says nothing of stripes, rounds and waits: they begin anew. */
  private static Reached fromMessage(ParityScrubReachedEffect message) {
    Map<ObjectId, Long> stripes = new TreeMap<>();
    int known = Math.min(message.getLaterIdCount(), message.getLaterStripeCount());
    for (int file = 0; file < known; file++) {
      if (message.getLaterStripe(file) > 0) {
        stripes.put(new ObjectId(message.getLaterId(file)), message.getLaterStripe(file));
      }
    }
    return new Reached(
        message.getPasses(),
        fromMessage(message.getLast()),
        fromMessage(message.getNow()),
        new ObjectId(message.getObjectId()),
        message.getStripe(),
        message.getLaterIdList().stream().map(ObjectId::new).toList(),
        stripes,
        message.getRounds(),
        message.getWaits());
  }

  private static Pass fromMessage(ParityScrubPass pass) {
    return new Pass(
        pass.getBegunMillis(),
        pass.getEndedMillis(),
        pass.getObjects(),
        pass.getFiles(),
        pass.getBytes(),
        pass.getLeft(),
        pass.getUnlisted());
  }

  private static Contradicted fromMessage(ParityContradictedEffect message) {
    return new Contradicted(
        new ObjectId(message.getObjectId()),
        message.getSinceMillis(),
        message.getUnits(),
        ranges(message.getFromList(), message.getToList()),
        message.getWhat());
  }
}
