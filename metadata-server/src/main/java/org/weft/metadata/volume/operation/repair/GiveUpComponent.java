package org.weft.metadata.volume.operation.repair;

import com.google.protobuf.MessageLite;
import java.util.List;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.journal.LiveEffect;
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
 * The manager's own: as {@link MarkMissing}, of a component that stands in the way of a resolve for
 * ever. It does not matter whether the code bears its loss (P 5.5, 5.9). Its OSD has said that it
 * is of no use, or others have said that the bytes it lacks are damaged for good. So nothing that
 * may come back brings the file further. From then on reads of what needs it fail. An operator is
 * told.
 *
 * <p>Refused with TOO_MANY_LOST if it is the last one that has the file's attributes, with
 * NOT_FOUND if the file is gone. A component that is missing already is no error.
 *
 * @param why the component is given up
 */
public record GiveUpComponent(ObjectId object, OsdId osd, String why) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Attributes file = on.view().attributes(object, List.of(), "object " + object);
    StorageMap map = file.map();
    int component = map.components().indexOf(osd);
    if (file.isDirectory() || component < 0 || map.isMissing(component)) {
      return Empty.getDefaultInstance();
    }
    Attributes lessened = new LostComponents(on).markGone(file, List.of(component));
    if (!map.bearsInGroupOf(component, lessened.map().missing())) {
      String what =
          file.parent().name()
              + ", object "
              + object
              + ", has lost more components than it has parity units: "
              + why
              + "; what needs that is not read any more, replace or remove the file: that ends this"
              + " warning";
      on.draft().add(new LiveEffect.FileDamaged(object, what));
    }
    return Empty.getDefaultInstance();
  }
}
