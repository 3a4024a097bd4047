package org.weft.cli.fs.attribute;

import java.io.IOException;
import java.util.Optional;
import org.weft.cli.files.RemoteFiles;
import org.weft.client.AttributeChanges;
import org.weft.client.FileStatus;

/** What chmod, chown and chgrp have in common: they set attributes. */
abstract class AttributeCommand extends ChangeCommand {
  /** The attribute changes to make; empty if there are none. */
  abstract Optional<AttributeChanges> changes(FileStatus status);

  @Override
  final boolean change(RemoteFiles files, FileStatus status) throws IOException {
    Optional<AttributeChanges> wanted = changes(status);
    if (wanted.isPresent()) {
      var unused = files.setAttributes(status.path(), wanted.get());
    }
    return wanted.isPresent();
  }
}
