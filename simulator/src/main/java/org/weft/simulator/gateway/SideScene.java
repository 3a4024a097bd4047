package org.weft.simulator.gateway;

import java.util.List;

/**
 * What happens beside the clients of a world, with processes and harm of its own. Its findings go
 * into the histories.
 */
public interface SideScene {
  void start();

  /** Nothing new is begun. */
  void end();

  /** All that works is to work again. */
  void heal();

  /** It begins nothing new any more. */
  boolean isOver();

  /** All that was begun has come to its end. */
  boolean isFinished();

  /** What it waits for. */
  List<String> waiting();

  /** Its processes end. */
  void leave();

  /** For which something of it stays after its processes have ended. */
  default long keepMillis() {
    return 0;
  }
}
