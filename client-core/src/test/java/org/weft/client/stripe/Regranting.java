package org.weft.client.stripe;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.base.ComponentFailure;
import org.weft.client.stripe.base.Regrants;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/** The manager's part in the loss of a component (P 5.8), for one file of a {@link StripeWorld}. */
public final class Regranting implements Regrants {
  private final StripeWorld world;
  private final SortedSet<Integer> givenUp = new TreeSet<>();
  final List<Long> completeUpTo = new ArrayList<>();
  private WriteTerms terms;
  private int asked;

  public Regranting(StripeWorld world, WriteTerms terms) {
    this.world = world;
    this.terms = terms;
  }

  public WriteTerms terms() {
    return terms;
  }

  public int asked() {
    return asked;
  }

  public void giveUp(OsdId osd) {
    givenUp.add(osd.value());
  }

  public void isBack(OsdId osd) {
    givenUp.remove(osd.value());
  }

  @Override
  public CompletableFuture<WriteTerms> regrant(
      WriteTerms under, List<ComponentFailure> lost, long upTo) {
    asked++;
    CompletableFuture<WriteTerms> answer = new CompletableFuture<>();
    world.time.after(
        world.random.nextInt(2_000_000),
        () -> {
          try {
            answer.complete(decide(under, lost, upTo));
          } catch (WeftException e) {
            answer.completeExceptionally(e);
          }
        });
    return answer;
  }

  private WriteTerms decide(WriteTerms under, List<ComponentFailure> lost, long upTo)
      throws WeftException {
    if (under.grant().number() != terms.grant().number()) {
      throw new WeftException(ErrorCode.GRANT_REVOKED, "the grant has ended");
    }
    StorageMap map = terms.file().map();
    TreeSet<Integer> missing = new TreeSet<>(map.missing());
    for (ComponentFailure each : lost) {
      if (givenUp.contains(each.osd().value())) {
        missing.add(each.componentIndex());
      }
    }
    if (missing.equals(map.missing())) {
      throw new WeftException(ErrorCode.UNAVAILABLE, "none is given up");
    }
    Layout layout = map.layout();
    for (int group = 0; group < layout.groups(); group++) {
      int first = group * layout.width();
      if (missing.subSet(first, first + layout.width()).size() > layout.parityUnits()) {
        throw new WeftException(ErrorCode.TOO_MANY_LOST, "lost are " + missing);
      }
    }
    completeUpTo.add(upTo);
    terms =
        world.nextTerms(
            terms.file().name(),
            new StorageMap(
                layout, map.components(), map.generation() + 1, missing, map.attributeOsds()));
    return terms;
  }
}
