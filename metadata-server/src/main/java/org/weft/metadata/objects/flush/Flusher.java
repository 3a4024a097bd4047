package org.weft.metadata.objects.flush;

import java.util.concurrent.CompletionStage;
import org.weft.protocol.id.Lsn;

/**
 * Brings effects of durable records to the OSDs behind the operations (P 6.3). All methods are
 * called on the machine's thread.
 */
public interface Flusher {
  /** The OSDs are fenced: from now on it may ask them and write to them. Once, and first. */
  void begin();

  /**
   * Everything up to the LSN is on disk: its effects may leave now (the WAL rule). Brief: what
   * there is to do then is a task of its own.
   */
  void recordDurable(Lsn lsn);

  /** Completes, on the machine's thread, once all that is applied now is on the OSDs. */
  CompletionStage<Void> flushed();

  /**
   * The states of OSDs may have changed: looks again at what waits for one that is down or back.
   */
  void statesChanged();

  /** Sends nothing any more. */
  void close();
}
