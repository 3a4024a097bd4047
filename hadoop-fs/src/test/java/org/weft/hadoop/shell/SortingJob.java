package org.weft.hadoop.shell;

import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;

/** A MapReduce job in the process that runs it: sorts lines into two files by two reducers. */
public final class SortingJob extends Configured implements Tool {
  /**
   * @param arguments a directory of text, and the one to be made
   */
  @Override
  public int run(String[] arguments) throws Exception {
    Job job = Job.getInstance(getConf(), "sort");
    job.setInputFormatClass(KeyValueTextInputFormat.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    job.setNumReduceTasks(2);
    FileInputFormat.addInputPath(job, new Path(arguments[0]));
    FileOutputFormat.setOutputPath(job, new Path(arguments[1]));
    return job.waitForCompletion(false) ? 0 : 1;
  }
}
