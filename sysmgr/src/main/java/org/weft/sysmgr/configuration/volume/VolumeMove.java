package org.weft.sysmgr.configuration.volume;

import org.weft.protocol.id.ManagerId;

/**
 * The move of a volume to another manager. It is over when the volume's row names that manager.
 *
 * @param target the manager that is to serve it
 * @param failure why it was given up; empty: it is under way
 * @param sinceMillis when it was asked for, to show
 */
public record VolumeMove(ManagerId target, String failure, long sinceMillis) {
  public boolean underWay() {
    return failure.isEmpty();
  }
}
