package org.weft.hadoop.connect;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Optional;
import org.weft.client.WeftClient;

/**
 * One file system instance's reference to the client that it shares: taken when it is first needed,
 * and given back once. Does not know the instance, so that the instance can become unreachable.
 * Thread-safe.
 */
public final class ClientReference implements Runnable {
  private final SharedClients clients;
  private final ClientKey key;
  private final long keepMillis;

  // Guarded by this.
  private SharedClient shared;
  private boolean givenBack;

  public ClientReference(SharedClients clients, ClientKey key, long keepMillis) {
    this.clients = clients;
    this.key = key;
    this.keepMillis = keepMillis;
  }

  /**
   * The client, connected if it was not yet. Threads that ask meanwhile wait for the same attempt;
   * after a failed one the next call makes another.
   */
  public WeftClient client() throws IOException {
    SharedClient used = shared();
    try {
      return used.await();
    } catch (InterruptedIOException e) {
      throw e;
    } catch (IOException e) {
      drop(used);
      throw e;
    }
  }

  private synchronized SharedClient shared() throws IOException {
    if (givenBack) {
      throw new IOException("Filesystem closed");
    }
    if (shared == null) {
      shared = clients.acquire(key);
    }
    return shared;
  }

  private synchronized void drop(SharedClient failed) {
    if (shared == failed) {
      shared = null;
      clients.release(failed, keepMillis);
    }
  }

  /** Empty while it is not connected. */
  public synchronized Optional<WeftClient> ifConnected() {
    return shared == null ? Optional.empty() : shared.ifConnected();
  }

  /** Gives the reference back; never blocks. */
  @Override
  public synchronized void run() {
    givenBack = true;
    if (shared != null) {
      SharedClient last = shared;
      shared = null;
      clients.release(last, keepMillis);
    }
  }
}
