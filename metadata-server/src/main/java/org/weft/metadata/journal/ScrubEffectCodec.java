package org.weft.metadata.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.weft.metadata.journal.ScrubEffect.Contradicted;
import org.weft.metadata.journal.ScrubEffect.Pass;
import org.weft.metadata.journal.ScrubEffect.Reached;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.wire.EffectMessage;
import org.weft.protocol.wire.ParityContradictedEffect;
import org.weft.protocol.wire.ParityScrubLater;
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
            .setRounds(reached.rounds())
            .setWaits(reached.waits());
    for (ObjectId object : reached.later()) {
      message.addLater(
          ParityScrubLater.newBuilder()
              .setObjectId(object.value())
              .setStripe(reached.laterStripes().getOrDefault(object, 0L)));
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
    return ParityContradictedEffect.newBuilder()
        .setObjectId(contradicted.object().value())
        .setSinceMillis(contradicted.sinceMillis())
        .setUnits(contradicted.units())
        .setWhat(contradicted.what())
        .addAllRanges(contradicted.inDoubt().toMessages())
        .build();
  }

  static ScrubEffect fromMessage(EffectMessage message) {
    return switch (message.getEffectCase()) {
      case PARITY_SCRUB_REACHED -> fromMessage(message.getParityScrubReached());
      case PARITY_CONTRADICTED -> fromMessage(message.getParityContradicted());
      default ->
          throw new IllegalArgumentException("not an effect of the scrub of parity: " + message);
    };
  }

  private static Reached fromMessage(ParityScrubReachedEffect message) {
    List<ObjectId> later = new ArrayList<>(message.getLaterCount());
    Map<ObjectId, Long> stripes = new TreeMap<>();
    for (ParityScrubLater file : message.getLaterList()) {
      ObjectId object = new ObjectId(file.getObjectId());
      later.add(object);
      if (file.getStripe() > 0) {
        stripes.put(object, file.getStripe());
      }
    }
    return new Reached(
        message.getPasses(),
        fromMessage(message.getLast()),
        fromMessage(message.getNow()),
        new ObjectId(message.getObjectId()),
        message.getStripe(),
        later,
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
        ByteRanges.fromMessages(message.getRangesList()),
        message.getWhat());
  }
}
