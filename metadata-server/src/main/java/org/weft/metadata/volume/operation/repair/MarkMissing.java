package org.weft.metadata.volume.operation.repair;

import com.google.protobuf.MessageLite;
import java.util.List;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.LostComponents;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: what a file has on an OSD cannot be relied on any more (P 5.8, 5.9). A writer
 * of the file learns of it from that OSD and asks for another grant. Refused with TOO_MANY_LOST if
 * the file would not bear it, with NOT_FOUND if it is gone; a component that is missing already is
 * no error.
 */
public record MarkMissing(ObjectId object, OsdId osd) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Attributes file = on.view().attributes(object, List.of(), "object " + object);
    StorageMap map = file.map();
    int component = map.components().indexOf(osd);
    if (!file.isDirectory() && component >= 0 && !map.isMissing(component)) {
      new LostComponents(on).mark(file, List.of(component));
    }
    return Empty.getDefaultInstance();
  }
}
