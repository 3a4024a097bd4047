package org.weft.metadata.volume.operation.length;

import com.google.protobuf.MessageLite;
import java.util.OptionalLong;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.Truncation;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.GrantEnd;
import org.weft.metadata.volume.operation.HeldFile;
import org.weft.metadata.volume.operation.Replies;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;

/**
 * The holder of the grant has cut every component and made the last stripe consistent: the
 * truncation is over (P 4.3). A repeat changes nothing. Of the others that share the file, those
 * with older grants ask for new ones first. So a late message of the truncation gives back nothing
 * that is newer than it (P 6.5.77).
 *
 * @param truncation which one; a later one is not ended by it
 */
public record FinishTrim(ObjectId object, Lsn number, int truncation, long completeUpTo)
    implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    HeldFile held = HeldFile.require(on, object, number, completeUpTo);
    held.requireNotRenewing();
    held.requireWhole(on, "ending the truncation of");
    Attributes file = held.file();
    if (truncation != file.truncation().number()) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "object "
              + object
              + " is at truncation "
              + file.truncation().number()
              + ", not at "
              + truncation);
    }
    if (file.truncation().trimBytes().isEmpty()) {
      return Replies.attributes(file);
    }
    new GrantEnd(on).supersede(object, other -> other.number().compareTo(number) < 0);
    on.recalls().cutIsOver(object);
    Truncation done = new Truncation(truncation, OptionalLong.empty());
    return Replies.attributes(on.draft().put(file.edit().truncation(done).build()));
  }
}
