package org.weft.simulator.workload;

import org.weft.protocol.id.OsdId;

/**
 * A unit of the first stripe of a file that a client has open for reading.
 *
 * @param path by which the file was opened
 * @param osd that has the unit, by the map of then
 */
public record OpenUnit(String path, long fromBytes, int lengthBytes, OsdId osd) {}
