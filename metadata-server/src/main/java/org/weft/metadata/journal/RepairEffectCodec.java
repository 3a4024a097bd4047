package org.weft.metadata.journal;

import org.weft.metadata.journal.LiveEffect.ComponentLeft;
import org.weft.metadata.journal.LiveEffect.OfRepairs;
import org.weft.metadata.journal.LiveEffect.OsdStanding;
import org.weft.metadata.journal.LiveEffect.RebuildBegun;
import org.weft.metadata.journal.LiveEffect.RebuildEnded;
import org.weft.metadata.journal.LiveEffect.RepairAdded;
import org.weft.metadata.journal.LiveEffect.RepairRemoved;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.BlockRepairBegunEffect;
import org.weft.protocol.wire.ComponentLeftEffect;
import org.weft.protocol.wire.EffectMessage;
import org.weft.protocol.wire.OsdStandingEffect;
import org.weft.protocol.wire.RebuildBegunEffect;
import org.weft.protocol.wire.RebuildEndedEffect;
import org.weft.protocol.wire.RepairEffect;

/** Between effects on what is missing or lost and their messages. */
final class RepairEffectCodec {
  private RepairEffectCodec() {}

  static void add(EffectMessage.Builder message, OfRepairs effect) {
    if (effect instanceof RepairAdded added) {
      message.setRepairAdded(repair(added.object(), added.osd(), added.component()));
    } else if (effect instanceof RepairRemoved removed) {
      message.setRepairRemoved(repair(removed.object(), removed.osd(), removed.component()));
    } else if (effect instanceof RebuildBegun begun && begun.inPlace()) {
      // A message of its own: a release that does not know it would remove the component.
      message.setBlockRepairBegun(
          BlockRepairBegunEffect.newBuilder()
              .setObjectId(begun.object().value())
              .setComponentIndex(begun.component())
              .setOsdId(begun.target().value())
              .setNumber(begun.number().value())
              .setMapGeneration(begun.generation()));
    } else if (effect instanceof RebuildBegun begun) {
      message.setRebuildBegun(
          RebuildBegunEffect.newBuilder()
              .setObjectId(begun.object().value())
              .setComponentIndex(begun.component())
              .setTargetOsd(begun.target().value())
              .setNumber(begun.number().value())
              .setMapGeneration(begun.generation())
              .setMoves(begun.moves())
              .setBytes(begun.bytes())
              .setBalances(begun.balances()));
    } else if (effect instanceof RebuildEnded ended) {
      message.setRebuildEnded(RebuildEndedEffect.newBuilder().setObjectId(ended.object().value()));
    } else if (effect instanceof OsdStanding standing) {
      message.setOsdStanding(
          OsdStandingEffect.newBuilder()
              .setOsdId(standing.osd().value())
              .setCleared(standing.cleared())
              .setDrainNumber(standing.drain()));
    } else if (effect instanceof ComponentLeft left) {
      message.setComponentLeft(
          ComponentLeftEffect.newBuilder()
              .setObjectId(left.object().value())
              .setOsdId(left.osd().value()));
    } else {
      throw new AssertionError("unhandled effect: " + effect);
    }
  }

  private static RepairEffect repair(ObjectId object, OsdId osd, int component) {
    return RepairEffect.newBuilder()
        .setObjectId(object.value())
        .setOsdId(osd.value())
        .setComponentIndex(component)
        .build();
  }

  private static int component(RepairEffect repair) {
    int component = repair.getComponentIndex();
    if (component < 0) {
      throw new IllegalArgumentException("no component has index " + component);
    }
    return component;
  }

  static OfRepairs fromMessage(EffectMessage message) {
    return switch (message.getEffectCase()) {
      case REPAIR_ADDED -> {
        RepairEffect repair = message.getRepairAdded();
        yield new RepairAdded(
            new ObjectId(repair.getObjectId()), new OsdId(repair.getOsdId()), component(repair));
      }
      case REPAIR_REMOVED -> {
        RepairEffect repair = message.getRepairRemoved();
        yield new RepairRemoved(
            new ObjectId(repair.getObjectId()), new OsdId(repair.getOsdId()), component(repair));
      }
      case REBUILD_BEGUN -> fromMessage(message.getRebuildBegun());
      case BLOCK_REPAIR_BEGUN -> fromMessage(message.getBlockRepairBegun());
      case REBUILD_ENDED -> new RebuildEnded(new ObjectId(message.getRebuildEnded().getObjectId()));
      case OSD_STANDING ->
          new OsdStanding(
              new OsdId(message.getOsdStanding().getOsdId()),
              message.getOsdStanding().getCleared(),
              message.getOsdStanding().getDrainNumber());
      case COMPONENT_LEFT ->
          new ComponentLeft(
              new ObjectId(message.getComponentLeft().getObjectId()),
              new OsdId(message.getComponentLeft().getOsdId()));
      default -> throw new IllegalArgumentException("not an effect on repairs: " + message);
    };
  }

  private static RebuildBegun fromMessage(BlockRepairBegunEffect begun) {
    return new RebuildBegun(
        new ObjectId(begun.getObjectId()),
        begun.getComponentIndex(),
        new OsdId(begun.getOsdId()),
        new Lsn(begun.getNumber()),
        begun.getMapGeneration(),
        false,
        0,
        true,
        false);
  }

  private static RebuildBegun fromMessage(RebuildBegunEffect begun) {
    return new RebuildBegun(
        new ObjectId(begun.getObjectId()),
        begun.getComponentIndex(),
        new OsdId(begun.getTargetOsd()),
        new Lsn(begun.getNumber()),
        begun.getMapGeneration(),
        begun.getMoves(),
        begun.getBytes(),
        false,
        begun.getBalances());
  }
}
