package org.weft.flink;

import org.apache.flink.core.fs.RecoverableWriter.CommitRecoverable;
import org.apache.flink.core.fs.RecoverableWriter.ResumeRecoverable;
import org.apache.hadoop.fs.Path;

/**
 * What a checkpoint keeps of a file that is not committed yet.
 *
 * @param target the name that it gets when it is committed
 * @param temporary the name that it has until then, in the same directory
 * @param sizeBytes how many of its bytes belong to the checkpoint; they are on stable storage
 */
record PendingFile(Path target, Path temporary, long sizeBytes)
    implements CommitRecoverable, ResumeRecoverable {}
