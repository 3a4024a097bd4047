package org.weft.metadata.volume.length;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.weft.metadata.grant.GrantTable;
import org.weft.metadata.grant.RepeatedPush;
import org.weft.metadata.grant.WriteGrant;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;

/**
 * Files whose lengths their writers keep to themselves, and the writers that were asked for them (P
 * 6.5). Most flushes are seen by no other client, and each would wait for this manager. So the
 * manager tells a publishing writer that it need not publish again until a client wants to know.
 * Then the manager asks it, repeatedly. The writer tells each length until no client has wanted one
 * for a while. A writer that does not answer for a whole lease counts as gone.
 *
 * <p>Questions are numbered. The permission to keep a length goes another way than a question, and
 * may arrive after it.
 *
 * <p>All of it is of this process alone: a manager that starts believes no length that was
 * published before. Pure, confined to the volume's thread.
 */
public final class DelegatedLengths {
  /** How long after a client wanted a length the writer continues to tell it. */
  public static final long TELLING_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A client waits for the length. */
  private record Question(Lsn number, RepeatedPush asking) {}

  private final GrantTable grants;
  private final long patienceNanos;

  private final Set<ObjectId> delegated = new HashSet<>();

  /** Questions about delegated lengths. */
  private final TreeMap<ObjectId, Question> asked = new TreeMap<>();

  private final Map<ObjectId, Long> wantedNanos = new HashMap<>();
  private Lsn newest = Lsn.ZERO;
  private long tellings;

  /**
   * @param patienceNanos so long a writer may take to answer
   */
  public DelegatedLengths(GrantTable grants, long patienceNanos) {
    this.grants = grants;
    this.patienceNanos = patienceNanos;
  }

  /** A manager starts. */
  void begin(long epoch) {
    delegated.clear();
    asked.clear();
    wantedNanos.clear();
    newest = Lsn.of(epoch, 1);
  }

  /** Only the file's writer knows how long it is. */
  public boolean isDelegated(ObjectId object) {
    return delegated.contains(object);
  }

  /** A client is shown the length, or would be if it were known. */
  public void wanted(ObjectId object, long nowNanos) {
    wantedNanos.put(object, nowNanos);
    if (isDelegated(object) && !asked.containsKey(object)) {
      newest = newest.next();
      asked.put(object, new Question(newest, new RepeatedPush(nowNanos)));
    }
  }

  /**
   * The writer has just told its length, and could keep later ones to itself.
   *
   * @return the number of the newest question, if it may
   */
  public Optional<Lsn> keep(ObjectId object, long nowNanos) {
    Long last = wantedNanos.get(object);
    if (last != null && nowNanos - last < TELLING_NANOS) {
      return Optional.empty();
    }
    wantedNanos.remove(object);
    delegated.add(object);
    return Optional.of(newest);
  }

  /**
   * The writer has said how long the file is, and tells each length from now on. The client that
   * asked has yet to see it, however long the answer took.
   */
  void told(ObjectId object, long nowNanos) {
    if (release(object)) {
      wantedNanos.put(object, nowNanos);
    }
  }

  /** No client has to wait for the writer any more; true if one did. */
  private boolean release(ObjectId object) {
    tellings += delegated.remove(object) ? 1 : 0;
    return asked.remove(object) != null;
  }

  /** How often a writer that kept a length has told it, or is no longer asked. */
  public long tellings() {
    return tellings;
  }

  /** No client writes the file any more, or its length is journalled. */
  void forget(ObjectId object) {
    boolean unused = release(object);
    wantedNanos.remove(object);
  }

  /** Writers that are to be asked now, for the first time or again. */
  public List<LengthQuestion> toSend(long nowNanos) {
    List<LengthQuestion> questions = new ArrayList<>();
    asked.forEach(
        (object, question) -> {
          if (question.asking().take(nowNanos)) {
            writer(object)
                .ifPresent(grant -> questions.add(new LengthQuestion(grant, question.number())));
          }
        });
    return questions;
  }

  /** Writers that have not answered in time. */
  public List<Lsn> overdue(long nowNanos) {
    List<Lsn> overdue = new ArrayList<>();
    asked.forEach(
        (object, question) -> {
          if (grants.awaitsResolve(object)) {
            // It cannot speak while its grant is replaced.
            question.asking().restart(nowNanos);
          } else if (question.asking().isOverdue(nowNanos, patienceNanos)) {
            writer(object).map(WriteGrant::number).ifPresent(overdue::add);
          }
        });
    return overdue;
  }

  /** No client could reach this manager for a while: no writer is to blame for not answering. */
  public void restart(long nowNanos) {
    asked.values().forEach(question -> question.asking().restart(nowNanos));
  }

  /** A writer that keeps a length is alone with the file. */
  private Optional<WriteGrant> writer(ObjectId object) {
    return grants.of(object).stream().filter(grant -> !grant.resolving()).findFirst();
  }
}
