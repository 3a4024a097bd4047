package org.weft.protocol.seam;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.protocol.rpc.Endpoint;

/**
 * A log of commands that a majority of the members agreed on: Ratis in a daemon, an ordered list in
 * the simulator. Thread-safe.
 */
public interface ReplicatedLog extends AutoCloseable {
  /** What the log drives. All calls come from one thread, in log order, alike on every member. */
  interface Machine {
    /**
     * Says whether a command could be applied, before it reaches the log. Called on any thread;
     * reads and changes no state.
     *
     * @throws IllegalArgumentException if the command cannot be read; it is then refused
     */
    void check(byte[] command);

    /**
     * Applies a committed command and returns its answer. Draws no random number, reads no clock.
     */
    byte[] apply(long index, byte[] command);

    /** Writes the whole state. */
    void save(OutputStream target) throws IOException;

    /** Replaces the whole state. */
    void load(InputStream source) throws IOException;
  }

  /**
   * Proposes a command. Completes with the machine's reply after a majority has the command durably
   * and this member has applied it. Fails with NOT_LEADER on a member that does not lead.
   */
  CompletionStage<byte[]> propose(byte[] command);

  /**
   * Completes once a majority has confirmed, after this call, that this member leads, and it has
   * applied everything committed before. It is a barrier for reads, and for promises such as
   * leases. Fails with NOT_LEADER on a member that does not lead, with UNAVAILABLE without a
   * majority.
   */
  CompletionStage<Void> readBarrier();

  boolean isLeader();

  /** RPC address of the leader as far as known. */
  Optional<Endpoint> leader();

  /**
   * One member of the log.
   *
   * @param memberId 1 or more
   * @param rpc what {@link #leader} says while it leads
   * @param log where the other members reach it
   */
  record Member(int memberId, Endpoint rpc, Endpoint log) {}

  /**
   * How far another member is, as the leader knows.
   *
   * @param behindEntries entries that it does not have yet
   * @param silentMillis for how long it has not been heard
   */
  record Progress(int memberId, long behindEntries, long silentMillis) {}

  /** The members that vote, ascending, as this member knows them; empty if it knows none. */
  List<Member> members();

  /** All members that vote but this one; empty where this member does not lead. */
  List<Progress> progress();

  /**
   * Adds one member, or takes one away. One that is added gets a snapshot and the log before it
   * votes. Completes when majorities of the old and of the new members have agreed. Fails with
   * NOT_LEADER where this member does not lead, and with UNAVAILABLE if the change could not be
   * made. The members are then as before, unless the reply was lost: see {@link #members}.
   *
   * @param before as {@link #members} says; the change is refused if they are others by now
   * @param after the same with one more, or with one less
   */
  CompletionStage<Void> replaceMembers(List<Member> before, List<Member> after);

  @Override
  void close() throws IOException;
}
