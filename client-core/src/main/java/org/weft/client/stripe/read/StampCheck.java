package org.weft.client.stripe.read;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.base.BlockChecksums;
import org.weft.client.stripe.base.Countdown;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.GetStampReply;
import org.weft.protocol.wire.GetStampRequest;
import org.weft.protocol.wire.Stamp;

/**
 * Looks a second time at units that are computed with beside a writer. What was read belongs to one
 * state of the stripe under two conditions (P 5.6). Nothing was pending, and no write id has
 * changed since the last unit arrived.
 */
final class StampCheck {
  private final StripeContext context;
  private final StripedFile file;

  StampCheck(StripeContext context, StripedFile file) {
    this.context = context;
    this.file = file;
  }

  /** Disturbs the plans whose units do not belong together, then runs {@code done}. */
  void all(List<ComputedPlan> plans, Runnable done) {
    Countdown countdown =
        new Countdown(plans.stream().mapToInt(plan -> plan.wants().size()).sum(), done);
    for (ComputedPlan plan : plans) {
      for (UnitRead want : plan.wants()) {
        look(plan, want, countdown);
      }
    }
  }

  private void look(ComputedPlan plan, UnitRead want, Countdown countdown) {
    if (want.failure() != null || want.isPending()) {
      plan.disturb();
      countdown.one();
      return;
    }
    var unused =
        ask(want)
            .whenComplete(
                (reply, thrown) -> {
                  try {
                    if (thrown != null) {
                      want.fail(WeftException.of(thrown));
                    } else if (!isUnchanged(want, reply)) {
                      plan.disturb();
                    }
                  } catch (RuntimeException | Error e) {
                    // Not compared: what it was decoded from counts as changed.
                    plan.disturb();
                    throw e;
                  } finally {
                    countdown.one();
                  }
                });
  }

  /** Never throws, for others are under way: what cannot be asked for has failed. */
  private CompletableFuture<GetStampReply> ask(UnitRead want) {
    try {
      GetStampRequest.Builder request =
          GetStampRequest.newBuilder()
              .setObjectId(file.name().object().value())
              .setOffset(want.offsetBytes())
              .setLength(want.lengthBytes());
      return context
          .osds()
          .getStamp(file.target(want.component(), context.options().readAttemptMillis()), request);
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static boolean isUnchanged(UnitRead want, GetStampReply reply) {
    return !reply.getPending()
        && Arrays.equals(idsByBlock(want, want.stamps()), idsByBlock(want, reply.getStampsList()));
  }

  /** Grant and seq of each block of the range, however the stamps are cut; zeros for holes. */
  private static long[] idsByBlock(UnitRead want, List<Stamp> stamps) {
    long firstBlock = want.offsetBytes() / BlockChecksums.BLOCK_BYTES;
    int blocks = BlockChecksums.blocks(want.lengthBytes());
    long[] ids = new long[2 * blocks];
    for (Stamp stamp : stamps) {
      for (int i = 0; i < stamp.getBlockCount(); i++) {
        long index = stamp.getFirstBlock() + i - firstBlock;
        if (index >= 0 && index < blocks) {
          ids[2 * (int) index] = stamp.getGrant();
          ids[2 * (int) index + 1] = stamp.getSeq();
        }
      }
    }
    return ids;
  }
}
