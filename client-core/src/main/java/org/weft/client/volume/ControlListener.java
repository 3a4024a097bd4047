package org.weft.client.volume;

import org.weft.protocol.id.Lsn;
import org.weft.protocol.layout.ByteRange;

/** Hears what the manager says of a file without being asked (P 6.5). It must not block. */
@FunctionalInterface
public interface ControlListener {
  /**
   * Others want to write where a grant owns a range of a shared file. It is to be given back as
   * soon as what is under way there is complete, and this is said again until then.
   *
   * @param grant number of the grant that is meant
   */
  void recalled(long grant, ByteRange range);

  /**
   * A client wants to know how long the file is: the writer tells the manager, which asks until
   * then.
   *
   * @param question larger than those before
   */
  default void lengthWanted(Lsn question) {}

  /**
   * Others want to write the file, or a lost component is to be written anew. The holder of that
   * grant gives it back if it is idle; the manager asks again until then.
   *
   * @param grant number of the grant that is meant
   * @param forRepair no other client will change the file
   */
  default void grantWanted(long grant, boolean forRepair) {}

  /**
   * A byte-range lock that this client waits for may be free: to be asked for again.
   *
   * @param waitNumber of the lock that is meant
   */
  default void lockFreed(long waitNumber) {}

  /** For a while now nothing that the manager asks may have reached this client. */
  default void outOfReach() {}
}
