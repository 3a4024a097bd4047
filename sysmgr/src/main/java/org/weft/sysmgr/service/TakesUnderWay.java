package org.weft.sysmgr.service;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Ticker;

/**
 * Addresses of NFS that this leader is giving to a gateway, or to none, at this moment (P 6.5f). It
 * judges that an address is silent, and proposes the record. Until the record is applied it
 * proposes no other taker for that address, so the judgement still holds then. No other member
 * proposes anything meanwhile, and what an earlier leader proposed is applied before this one
 * judges.
 *
 * <p>The record compares no taker with an earlier one: members of earlier releases apply it, too.
 *
 * <p>Takes of an earlier term of this member count for nothing, and so do those that have not ended
 * within {@link #MAX_NANOS}. Confined to the home executor.
 */
final class TakesUnderWay {
  /** A proposal has been applied or has failed long before. */
  static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(60);

  private record Take(String taker, long term, long sinceNanos, int count) {}

  private final LongSupplier term;
  private final Ticker ticker;
  private final Map<String, Take> byServer = new HashMap<>();
  private long forgettings;

  /**
   * @param term changes whenever this member begins to lead
   */
  TakesUnderWay(LongSupplier term, Ticker ticker) {
    this.term = term;
    this.ticker = ticker;
  }

  /** One for each claim of a gateway: its repeats are the same taker. */
  static String gateway(Endpoint gateway, long claim) {
    return "gateway " + gateway + " " + claim;
  }

  /** Another for each time that hosts of addresses are forgotten. */
  String forgetting() {
    return "forgetting " + ++forgettings;
  }

  /** What is needed to end what was begun. */
  record Begun(List<Endpoint> servers, String taker, long term) {}

  private boolean counts(Take take) {
    return take != null
        && take.term() == term.getAsLong()
        && ticker.nowNanos() - take.sinceNanos() <= MAX_NANOS;
  }

  /** Nothing is under way for the address, or repeats of the same taker's. */
  boolean mayTake(Endpoint server, String taker) {
    Take take = byServer.get(server.toString());
    return !counts(take) || take.taker().equals(taker);
  }

  /** Nothing is under way for the address. */
  boolean isFree(Endpoint server) {
    return !counts(byServer.get(server.toString()));
  }

  /** Hosts of the address are being forgotten. */
  boolean isForgetting(Endpoint server) {
    Take take = byServer.get(server.toString());
    return counts(take) && take.taker().startsWith("forgetting ");
  }

  /** To be ended whatever becomes of it. */
  Begun begin(List<Endpoint> servers, String taker) {
    for (Endpoint server : servers) {
      Take now = byServer.get(server.toString());
      int count = counts(now) && now.taker().equals(taker) ? now.count() : 0;
      byServer.put(
          server.toString(), new Take(taker, term.getAsLong(), ticker.nowNanos(), count + 1));
    }
    return new Begun(servers, taker, term.getAsLong());
  }

  /** Ends nothing that another taker has begun since, or that was begun in another term. */
  void end(Begun begun) {
    for (Endpoint server : begun.servers()) {
      byServer.computeIfPresent(
          server.toString(),
          (text, now) -> {
            if (now.term() != begun.term() || !now.taker().equals(begun.taker())) {
              return now;
            }
            return now.count() == 1
                ? null
                : new Take(now.taker(), now.term(), now.sinceNanos(), now.count() - 1);
          });
    }
  }
}
