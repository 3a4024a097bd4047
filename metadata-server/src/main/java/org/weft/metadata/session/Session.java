package org.weft.metadata.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.journal.LockKeeping;
import org.weft.protocol.capability.SessionSecret;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.SessionId;

/**
 * A client's session: the user it acts for, its reply slots and its lease. Confined to the volume's
 * thread.
 */
public final class Session {
  private final SessionId id;
  private final Credentials credentials;
  private final String clientName;
  private final long nonce;
  private final long openedMillis;
  private final Optional<SessionSecret> secret;
  private final Optional<LockKeeping> keeping;
  private final boolean trusted;
  private final boolean followsCuts;
  private final List<ReplySlot> slots;
  private long leaseEndNanos;

  Session(
      SessionId id,
      Credentials credentials,
      String clientName,
      long nonce,
      int slotCount,
      long openedMillis,
      Optional<SessionSecret> secret,
      Optional<LockKeeping> keeping,
      boolean trusted,
      boolean followsCuts,
      long leaseEndNanos) {
    this.id = id;
    this.trusted = trusted;
    this.followsCuts = followsCuts;
    this.credentials = credentials;
    this.clientName = clientName;
    this.nonce = nonce;
    this.openedMillis = openedMillis;
    this.secret = secret;
    this.keeping = keeping;
    this.slots = new ArrayList<>(slotCount);
    for (int slot = 0; slot < slotCount; slot++) {
      slots.add(new ReplySlot());
    }
    this.leaseEndNanos = leaseEndNanos;
  }

  public SessionId id() {
    return id;
  }

  public Credentials credentials() {
    return credentials;
  }

  /** "host/pid/program", shown to others that wait for this client. */
  public String clientName() {
    return clientName;
  }

  /** What the client drew when it opened the session. */
  public long nonce() {
    return nonce;
  }

  /** Wall time. */
  public long openedMillis() {
    return openedMillis;
  }

  /** What its requests are signed with; empty if an earlier release opened it. */
  public Optional<SessionSecret> secret() {
    return secret;
  }

  /** Whether its byte-range locks are kept when it ends, and for which successor. */
  public Optional<LockKeeping> keeping() {
    return keeping;
  }

  /** Its client has the join token: it names nodes by numbers, on behalf of others. */
  public boolean trusted() {
    return trusted;
  }

  /** Its client handles a shared file that another client truncates (P 6.5.78). */
  public boolean followsCuts() {
    return followsCuts;
  }

  /**
   * @throws WeftException UNAUTHENTICATED unless its client has the join token
   */
  public void requireTrusted() throws WeftException {
    if (!trusted) {
      throw new WeftException(
          ErrorCode.UNAUTHENTICATED,
          "session "
              + id
              + " was opened without the cluster's join token: it asks for its own user alone, and"
              + " names files by paths and handles");
    }
  }

  public int slotCount() {
    return slots.size();
  }

  /** See {@link ReplySlot#admit}. */
  public Optional<SlotAnswer> admit(int slot, long sequence) throws WeftException {
    return slot(slot).admit(sequence);
  }

  /** A request of this number would be carried out: neither it nor a later one was answered. */
  public boolean isOpen(int slot, long sequence) {
    return slot >= 0 && slot < slots.size() && slots.get(slot).isOpen(sequence);
  }

  /** The request of this number changed something or was refused, and was answered so. */
  public void answered(int slot, long sequence, SlotAnswer answer) throws WeftException {
    slot(slot).answered(sequence, answer);
  }

  /** The request of this number was a read. */
  public void read(int slot, long sequence) throws WeftException {
    slot(slot).read(sequence);
  }

  /** The last answer of each slot, where that was a success that left a record. */
  public void forEachSuccess(AnswerVisitor visitor) {
    for (int slot = 0; slot < slots.size(); slot++) {
      ReplySlot found = slots.get(slot);
      if (found.answer() != null && found.answer().recorded()) {
        visitor.visit(slot, found.sequence(), found.answer());
      }
    }
  }

  /** Takes the answers of a session one by one. */
  @FunctionalInterface
  public interface AnswerVisitor {
    void visit(int slot, long sequence, SlotAnswer answer);
  }

  private ReplySlot slot(int index) throws WeftException {
    if (index < 0 || index >= slots.size()) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "session " + id + " has slots 0 to " + (slots.size() - 1) + ", got " + index);
    }
    return slots.get(index);
  }

  void renew(long untilNanos) {
    leaseEndNanos = untilNanos;
  }

  boolean lapsed(long nowNanos) {
    return nowNanos - leaseEndNanos >= 0;
  }
}
