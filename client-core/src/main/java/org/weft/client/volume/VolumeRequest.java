package org.weft.client.volume;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.RequestContext;

/**
 * A request to a volume's manager, before it is known in which slot it will run.
 *
 * @param subject what it is about, for messages: a path, or two
 * @param body makes the body for a session and slot; called once per session it is tried in
 * @param repetition whether it may be tried again in another session even if the first may have
 *     executed it
 * @param boundTo the session whose state it speaks of (a grant); it is refused in any other
 * @param patient UNAVAILABLE is not an answer: it is sent again until its time is over. Else the
 *     manager is told, and answers BUSY once it has looked into the slot
 * @param writerPatienceMillis how long it waits for another client that writes the file; empty: a
 *     lease, within which a dead one is found out
 * @param heard gets every answer on the session's home executor, before the caller does
 * @param changes paths of which it changes what they lead to, or what leads there
 * @param changedNodes objects that it changes
 * @param late gets the answer if it comes after the caller was told that none came, or has
 *     cancelled
 */
record VolumeRequest<T>(
    Opcode opcode,
    String subject,
    Function<RequestContext, MessageLite> body,
    Parser<T> parser,
    Repetition repetition,
    OptionalLong boundTo,
    boolean patient,
    OptionalInt writerPatienceMillis,
    Consumer<SessionReply<T>> heard,
    List<String> changes,
    List<Long> changedNodes,
    Consumer<SessionReply<T>> late) {
  /** Where a request that may have been executed may be asked for again. */
  sealed interface Repetition {
    /** Its slot alone knows it. */
    record InItsSlot() implements Repetition {}

    /**
     * As in its slot, and for 20 s or its session alone: after that its program may have asked
     * elsewhere, and gone on from there.
     */
    record InItsSlotSoon() implements Repetition {}

    /**
     * The manager finds its answer by where it comes from, in any session, if it keeps first
     * answers. It is never carried out after a minute, or in the next session.
     *
     * @param naming states where it comes from
     */
    record ByItsOrigin(UnaryOperator<RequestContext> naming) implements Repetition {}

    /** Executing it twice cannot be told from executing it once, whatever others do between. */
    record Anywhere() implements Repetition {}
  }

  /** A request that changes no more than what its own session or grant holds, or nothing. */
  static <T> VolumeRequest<T> repeatable(
      Opcode opcode, String subject, Function<RequestContext, MessageLite> body, Parser<T> parser) {
    return once(opcode, subject, body, parser).repeated(new Repetition.Anywhere());
  }

  /**
   * A request that must be executed once. Also one that sets what it names to what it says: between
   * two executions another client may have set it otherwise.
   */
  static <T> VolumeRequest<T> once(
      Opcode opcode, String subject, Function<RequestContext, MessageLite> body, Parser<T> parser) {
    return new VolumeRequest<>(
        opcode,
        subject,
        body,
        parser,
        new Repetition.InItsSlot(),
        OptionalLong.empty(),
        true,
        OptionalInt.empty(),
        answer -> {},
        List.of(),
        List.of(),
        answer -> {});
  }

  /** Its parts while one or more of them are changed: the one place where all are copied. */
  private static final class Parts<T> {
    private final VolumeRequest<T> of;
    private Repetition repetition;
    private OptionalLong boundTo;
    private boolean patient;
    private OptionalInt writerPatienceMillis;
    private Consumer<SessionReply<T>> heard;
    private List<String> changes;
    private List<Long> changedNodes;
    private Consumer<SessionReply<T>> late;

    private Parts(VolumeRequest<T> of) {
      this.of = of;
      this.repetition = of.repetition;
      this.boundTo = of.boundTo;
      this.patient = of.patient;
      this.writerPatienceMillis = of.writerPatienceMillis;
      this.heard = of.heard;
      this.changes = of.changes;
      this.changedNodes = of.changedNodes;
      this.late = of.late;
    }

    private VolumeRequest<T> whole() {
      return new VolumeRequest<>(
          of.opcode,
          of.subject,
          of.body,
          of.parser,
          repetition,
          boundTo,
          patient,
          writerPatienceMillis,
          heard,
          changes,
          changedNodes,
          late);
    }
  }

  private VolumeRequest<T> with(Consumer<Parts<T>> change) {
    Parts<T> parts = new Parts<>(this);
    change.accept(parts);
    return parts.whole();
  }

  /** The same; it is repeated so. */
  VolumeRequest<T> repeated(Repetition other) {
    return with(parts -> parts.repetition = other);
  }

  VolumeRequest<T> withLate(Consumer<SessionReply<T>> handler) {
    return with(parts -> parts.late = handler);
  }

  VolumeRequest<T> withHeard(Consumer<SessionReply<T>> handler) {
    return with(parts -> parts.heard = handler);
  }

  VolumeRequest<T> inSession(long sessionId) {
    return with(parts -> parts.boundTo = OptionalLong.of(sessionId));
  }

  /** The same; BUSY is an answer, and UNAVAILABLE, unless it may have been executed before. */
  VolumeRequest<T> withoutPatience() {
    return with(parts -> parts.patient = false);
  }

  /** The same; it waits that long for another client that writes the file. */
  VolumeRequest<T> withWriterPatience(OptionalInt millis) {
    return with(parts -> parts.writerPatienceMillis = millis);
  }

  /** The same; what the session relies on of these paths is given up when it is sent (P 6.5). */
  VolumeRequest<T> changing(String... paths) {
    return with(parts -> parts.changes = List.of(paths));
  }

  /** The same of objects that are named by their numbers. */
  VolumeRequest<T> changingNodes(Long... objectIds) {
    return with(parts -> parts.changedNodes = List.of(objectIds));
  }
}
