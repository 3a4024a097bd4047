package org.weft.engines;

import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;

/** Hands rows on; the first attempt at the second partition fails after its last row. */
final class FailingOnce implements MapPartitionsFunction<Row, Row> {
  private static final long serialVersionUID = 1L;

  @Override
  public Iterator<Row> call(Iterator<Row> rows) {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        if (rows.hasNext()) {
          return true;
        }
        TaskContext task = TaskContext.get();
        if (task.partitionId() == 1 && task.attemptNumber() == 0) {
          throw new IllegalStateException("this attempt is meant to fail");
        }
        return false;
      }

      @Override
      public Row next() {
        return rows.next();
      }
    };
  }
}
