package org.weft.metadata.repair;

import java.util.Objects;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * A component that is being written anew beside what the map says of it (P 6.8). Or single blocks
 * of a component are written anew where it is (P 6.8b).
 *
 * @param component its index in the file's map
 * @param target the OSD that it is written to
 * @param number under which it is written: above every grant that the file had when it began
 * @param generation of the map that it is computed by; it does not count under another one
 * @param moves the OSD that has it is being drained, and may be up when it is done
 * @param bytes that it will hold, at most
 * @param inPlace the OSD has the component, which is not removed whatever comes of it
 * @param balances with moves: the OSD that has it is not drained, but holds more than others (P
 *     6.8c)
 */
public record Rebuild(
    ObjectId object,
    int component,
    OsdId target,
    Lsn number,
    int generation,
    boolean moves,
    long bytes,
    boolean inPlace,
    boolean balances) {
  public Rebuild {
    Objects.requireNonNull(object, "object");
    Objects.requireNonNull(target, "target");
    Objects.requireNonNull(number, "number");
  }
}
