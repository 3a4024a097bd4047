package org.weft.sysmgr.replication.ratis;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Finds out whether this member still leads: it asks the others for their terms. A majority whose
 * terms are not above the leader's has elected no other leader before it was asked, whatever the
 * rest says. A member that stood for election in vain is in a later term than all others. Ratis
 * answers a read at once if the same commit index was confirmed at any earlier time. So its reads
 * prove nothing while no entry is committed, and a leader that was cut off would renew leases (P
 * 6.2).
 *
 * <p>A round of questions begins after the calls that it confirms. Calls that come while as many
 * rounds as may be are under way share the next one. A question may wait as long as {@link Terms}
 * lets it; others do not wait for it.
 *
 * <p>Thread-safe.
 */
final class LeaderConfirmation {
  /** One that waits for lost packets keeps the next ones from nothing. */
  static final int MAX_ROUNDS = 4;

  /** Questions to one member that wait for an answer: each keeps a thread. */
  static final int MAX_QUESTIONS = MAX_ROUNDS;

  /**
   * What this member knows as a leader.
   *
   * @param term in which it leads
   * @param voters numbers of all members, itself included
   * @param votersBefore of the members before a change of members that is not committed yet, else
   *     empty
   */
  record Lead(long term, Set<Integer> voters, Set<Integer> votersBefore) {
    Lead {
      voters = Set.copyOf(voters);
      votersBefore = Set.copyOf(votersBefore);
    }

    private boolean isMajority(Set<Integer> members) {
      return isMajority(members, voters)
          && (votersBefore.isEmpty() || isMajority(members, votersBefore));
    }

    /** All others could still be a majority. */
    private boolean isMajorityWithout(Set<Integer> members) {
      Set<Integer> left = new HashSet<>(voters);
      left.addAll(votersBefore);
      left.removeAll(members);
      return isMajority(left);
    }

    private static boolean isMajority(Set<Integer> members, Set<Integer> of) {
      return of.stream().filter(members::contains).count() > of.size() / 2;
    }
  }

  /** Asks another member. */
  interface Terms {
    /**
     * The term that a member is in. Blocks, for a few seconds at most.
     *
     * @throws IOException if it cannot be reached, or does not answer in time
     */
    long of(int memberId, long ownTerm) throws IOException;
  }

  private final int memberId;
  private final Supplier<Optional<Lead>> lead;
  private final Terms terms;
  private final Executor questions;

  // Guarded by this.
  private final Map<Integer, Integer> waiting = new HashMap<>();
  private CompletableFuture<Void> next;
  private int rounds;

  /**
   * @param lead empty while this member does not lead
   * @param questions threads that may block
   */
  LeaderConfirmation(int memberId, Supplier<Optional<Lead>> lead, Terms terms, Executor questions) {
    this.memberId = memberId;
    this.lead = lead;
    this.terms = terms;
    this.questions = questions;
  }

  /**
   * Completes once a majority has confirmed, after this call, that this member leads. Fails with
   * NOT_LEADER if it does not, with UNAVAILABLE if fewer than a majority have answered.
   */
  CompletionStage<Void> confirm() {
    CompletableFuture<Void> confirmed;
    synchronized (this) {
      if (next == null) {
        next = new CompletableFuture<>();
      }
      confirmed = next;
    }
    beginIfMay();
    return confirmed;
  }

  private void beginIfMay() {
    CompletableFuture<Void> begun;
    synchronized (this) {
      if (next == null || rounds >= MAX_ROUNDS) {
        return;
      }
      rounds++;
      begun = next;
      next = null;
    }
    var unused =
        begun.whenComplete(
            (done, failure) -> {
              synchronized (this) {
                rounds--;
              }
              beginIfMay();
            });
    try {
      new Round(begun).begin();
    } catch (RuntimeException | Error e) {
      // A round that does not end would hold up all later ones.
      begun.completeExceptionally(e);
      throw e;
    }
  }

  private synchronized boolean takesQuestion(int member) {
    int now = waiting.getOrDefault(member, 0);
    if (now >= MAX_QUESTIONS) {
      return false;
    }
    waiting.put(member, now + 1);
    return true;
  }

  private synchronized void answered(int member) {
    waiting.merge(member, -1, Integer::sum);
  }

  private WeftException notLeader(String why) {
    return new WeftException(
        ErrorCode.NOT_LEADER, "SysMgr member " + memberId + " does not lead; " + why);
  }

  /** One question to each of the others. */
  private final class Round {
    private final CompletableFuture<Void> confirmed;

    // Guarded by this.
    private final Set<Integer> agree = new HashSet<>();
    private final Set<Integer> disagree = new HashSet<>();
    private String newer = "";
    private int open;

    private Round(CompletableFuture<Void> confirmed) {
      this.confirmed = confirmed;
    }

    private void begin() {
      Optional<Lead> now = lead.get();
      if (now.isEmpty()) {
        confirmed.completeExceptionally(notLeader("ask another member"));
        return;
      }
      Set<Integer> others = new HashSet<>(now.get().voters());
      others.addAll(now.get().votersBefore());
      others.remove(memberId);
      synchronized (this) {
        agree.add(memberId);
        open = others.size();
      }
      if (others.isEmpty()) {
        look(now.get());
        return;
      }
      others.forEach(other -> begin(now.get(), other));
    }

    private void begin(Lead then, int other) {
      if (!takesQuestion(other)) {
        ended(then);
        return;
      }
      try {
        questions.execute(() -> ask(then, other));
      } catch (RejectedExecutionException e) {
        // No thread is left, or the member is being closed: this question has no answer.
        answered(other);
        ended(then);
      } catch (Error e) {
        // The system gives no thread.
        answered(other);
        confirmed.completeExceptionally(e);
        throw e;
      }
    }

    private void ask(Lead then, int other) {
      try {
        long term = terms.of(other, then.term());
        synchronized (this) {
          if (term > then.term()) {
            disagree.add(other);
            newer = "member " + other + " is in term " + term + ", this one led " + then.term();
          } else {
            agree.add(other);
          }
        }
      } catch (IOException e) {
        // Counts as no answer: the round fails if fewer than a majority are left.
      } catch (RuntimeException | Error e) {
        confirmed.completeExceptionally(e);
        throw e;
      } finally {
        answered(other);
        ended(then);
      }
    }

    private void ended(Lead then) {
      synchronized (this) {
        open--;
      }
      look(then);
    }

    private void look(Lead then) {
      boolean majority;
      boolean refused;
      String why;
      int agreed;
      boolean last;
      synchronized (this) {
        majority = then.isMajority(agree);
        last = open == 0;
        refused = !then.isMajorityWithout(disagree) || last && !disagree.isEmpty();
        why = newer;
        agreed = agree.size();
      }
      if (majority) {
        if (lead.get().filter(now -> now.term() == then.term()).isPresent()) {
          confirmed.complete(null);
        } else {
          confirmed.completeExceptionally(notLeader("it led until now"));
        }
      } else if (refused) {
        confirmed.completeExceptionally(notLeader(why));
      } else if (last) {
        confirmed.completeExceptionally(
            new WeftException(
                ErrorCode.UNAVAILABLE,
                "only "
                    + agreed
                    + " of "
                    + then.voters().size()
                    + " SysMgr members confirm that member "
                    + memberId
                    + " leads; a majority must run and reach each other"));
      }
    }
  }
}
