//! Room for states under construction.

/// States in buffers that are used again and again.
#[derive(Default)]
pub struct Pool {
    buffers: Vec<Vec<i32>>,
    used: usize,
}

impl Pool {
    /// Forgets all states; their memory stays.
    pub fn reset(&mut self) {
        self.used = 0;
    }

    pub fn get(&self, index: usize) -> &Vec<i32> {
        &self.buffers[index]
    }

    pub fn buffer(&mut self, index: usize) -> &mut Vec<i32> {
        &mut self.buffers[index]
    }

    pub fn copy_of(&mut self, key: &[i32]) -> usize {
        if self.used == self.buffers.len() {
            self.buffers.push(Vec::new());
        }
        let buffer = &mut self.buffers[self.used];
        if buffer.len() == key.len() {
            // Nearly always: nothing has to be measured or made.
            buffer.copy_from_slice(key);
        } else {
            buffer.clear();
            buffer.extend_from_slice(key);
        }
        self.used += 1;
        self.used - 1
    }

    /// Another copy of a state that is here.
    pub fn duplicate(&mut self, index: usize) -> usize {
        let key = std::mem::take(&mut self.buffers[index]);
        let copy = self.copy_of(&key);
        self.buffers[index] = key;
        copy
    }

    /// Gives back the state taken last.
    pub fn drop_last(&mut self) {
        self.used -= 1;
    }
}
