package org.weft.osd.membership;

import java.util.List;
import org.weft.osd.store.Durability;
import org.weft.osd.store.StoreStatus;

/**
 * The state of an OSD, as it reports it with each heartbeat.
 *
 * @param problems one sentence each, for the cluster's status
 */
public record OsdReport(StoreStatus status, Durability durability, List<String> problems) {
  public OsdReport {
    problems = List.copyOf(problems);
  }
}
