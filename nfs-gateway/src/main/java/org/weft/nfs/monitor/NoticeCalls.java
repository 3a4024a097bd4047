package org.weft.nfs.monitor;

import java.net.InetAddress;
import java.util.concurrent.CompletionStage;

/** Tells the status monitors of clients that a gateway has started. Thread-safe. */
@FunctionalInterface
public interface NoticeCalls {
  /**
   * Calls NOTIFY; fails if the client is not reached or does not answer in time.
   *
   * @param server the address that the client knows, from which it is called
   * @param datagrams over UDP, not TCP
   */
  CompletionStage<Void> tell(InetAddress server, InetAddress client, int state, boolean datagrams);
}
