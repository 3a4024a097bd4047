package org.weft.testkit.raft;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Carries messages between the members of one log, by their ids. Confined to the thread of the
 * virtual time.
 */
public final class RaftWire {
  /** How messages fare. */
  public interface Links {
    /**
     * Calls the arrival later, or never: then the message is lost.
     *
     * @param bytes of state that the message carries besides the usual
     */
    void send(int from, int to, int bytes, Runnable arrival);
  }

  private final Links links;
  private final RaftWatch watch;
  private final SortedMap<Integer, RaftMember> open = new TreeMap<>();

  public RaftWire(Links links, RaftWatch watch) {
    this.links = links;
    this.watch = watch;
  }

  RaftWatch watch() {
    return watch;
  }

  void open(int memberId, RaftMember member) {
    if (open.putIfAbsent(memberId, member) != null) {
      throw new IllegalArgumentException("member " + memberId + " is open already");
    }
  }

  void closed(int memberId, RaftMember member) {
    open.remove(memberId, member);
  }

  void send(int to, RaftMessage message) {
    int bytes =
        message instanceof RaftMessage.Install install ? install.snapshot().state().length : 0;
    links.send(
        message.from(),
        to,
        bytes,
        () -> {
          RaftMember receiver = open.get(to);
          if (receiver != null) {
            receiver.arrives(message);
          }
        });
  }
}
